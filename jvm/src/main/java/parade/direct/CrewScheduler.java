package parade.direct;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import org.junit.runners.model.RunnerScheduler;

/** Has the children of a JUnit 4 runner run on the threads of a crew. */
final class CrewScheduler implements RunnerScheduler {
    private final Crew crew;
    private final List<Future<?>> handed = new ArrayList<>();

    CrewScheduler(Crew crew) {
        this.crew = crew;
    }

    @Override
    public void schedule(Runnable child) {
        handed.add(crew.submit(child));
    }

    @Override
    public void finished() {
        Crew.await(handed);
        handed.clear();
    }
}
