package parade.maven;

import javax.inject.Named;
import javax.inject.Singleton;

import org.apache.maven.eventspy.AbstractEventSpy;
import org.apache.maven.execution.ExecutionEvent;

/**
 * Changes models once more that a project's own extension (tiles, say) has read anew after ours had changed them: extensions
 * of projects have their turn last, but this event comes after all of them, and before Maven decides what to do.
 */
@Named
@Singleton
public class LateChanges extends AbstractEventSpy {
    @Override
    public void onEvent(Object event) {
        if (!(event instanceof ExecutionEvent) || ((ExecutionEvent) event).getType() != ExecutionEvent.Type.SessionStarted) {
            return;
        }
        Settings settings = Settings.load();
        if (settings != null) {
            ProjectChanges.changeAll(settings, ((ExecutionEvent) event).getSession(), new Handshake(settings.handshake()));
        }
    }
}
