package parade.maven;

import javax.inject.Named;
import javax.inject.Singleton;

import org.apache.maven.eventspy.AbstractEventSpy;
import org.apache.maven.execution.ExecutionEvent;

/**
 * Changes models again that an extension of the project has read anew after our change. Extensions of projects run last, but
 * this event comes after all of them and before Maven plans the build.
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
            ProjectChanges.changeAll(settings, ((ExecutionEvent) event).getSession(), settings.handshake());
        }
    }
}
