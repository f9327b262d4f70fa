package parade.direct.platform;

import java.util.List;

import parade.direct.core.Wanted;

/** A test of the Platform that an order asks for, and how to select it. */
final class PlatformTest {
    final Wanted wanted;
    /** The id of what discovery found: the test itself, or the template or factory that creates it. */
    final String staticId;
    final String uniqueId;
    /** The indices of the invocations that it is in, from outside in; none for a plain test. */
    private final int[] indices;
    /** Is it in a class template? What such a request will run is known only when it runs. */
    private final boolean hidden;

    PlatformTest(Wanted wanted, String staticId, String uniqueId, int[] indices, boolean hidden) {
        this.wanted = wanted;
        this.staticId = staticId;
        this.uniqueId = uniqueId;
        this.indices = indices;
        this.hidden = hidden;
    }

    /** One template's invocations run by their index, once per request. */
    boolean canFollow(List<PlatformTest> run) {
        PlatformTest last = run.get(run.size() - 1);
        if (hidden || last.hidden) {
            return false;
        }
        if (staticId.equals(last.staticId)) {
            return isAfter(last);
        }
        for (PlatformTest earlier : run) {
            if (earlier.staticId.equals(staticId)) {
                return false;
            }
        }
        return true;
    }

    private boolean isAfter(PlatformTest other) {
        for (int i = 0; i < Math.min(indices.length, other.indices.length); i++) {
            if (indices[i] != other.indices[i]) {
                return indices[i] > other.indices[i];
            }
        }
        return false;
    }
}
