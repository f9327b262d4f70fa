//! What ran where and when in one trial: a lane for each worker, a bar for each test.

use plotters::prelude::DrawingBackend;

use super::axis::{Axis, MARGIN, TEXT};
use super::canvas::{Anchor, Canvas, Drawn, fitted, palette};
use super::scale::{Kind, Scale};
use super::{Drawing, Figure};
use crate::report::PageSection;
use crate::report::details::{Details, Timeline};
use crate::suite::Outcome;
use crate::wording::plural;

const WIDTH: i32 = 1000;
const LABELS: i32 = 150;
const LANE: i32 = 20;
const LEGEND: i32 = 30;
const STAGES: i32 = 22;
const BELOW: i32 = 48;
/// Bars that the picture in the page shows at most: the script draws them all.
const MOST_BARS: usize = 3000;

pub struct TimelineFigure {
    timeline: Timeline,
}

/// The picture for those without the script, and for the report's folder.
pub fn of_the_page(timeline: &Timeline, details: &Details) -> Figure {
    let mut caption = format!(
        "Lanes are workers (process and thread), bars are tests: blue passed, orange failed, amber in error, grey skipped, pink \
         timed out or crashed. A dashed line begins a stage. The picture shows {}.",
        timeline.label
    );
    let offered = details.timelines.len();
    let left_out = match details.timelines_left_out {
        0 => String::new(),
        more => format!(
            " The timelines of {} are not on this page; parade report --timeline TRIAL draws any of them.",
            plural(more, "more trial")
        ),
    };
    if offered > 1 {
        caption += &format!(" {} can be chosen.{left_out}", plural(offered, "trial"));
    } else {
        caption += &left_out;
    }
    let mut drawn = timeline.clone();
    longest(&mut drawn, MOST_BARS);
    Figure { caption, ..figure("timeline".to_owned(), drawn) }
}

pub fn alone(timeline: &Timeline) -> Figure {
    let name = format!("timeline-{}", timeline.trial);
    figure(name, timeline.clone())
}

fn longest(timeline: &mut Timeline, most: usize) {
    if timeline.bars.len() > most {
        timeline.bars.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        timeline.left_out += timeline.bars.len() - most;
        timeline.bars.truncate(most);
    }
}

fn figure(name: String, timeline: Timeline) -> Figure {
    Figure {
        name,
        section: PageSection::Timeline,
        title: "Timeline of a trial".to_owned(),
        caption: format!("{}, {}", timeline.label, timeline.verdict),
        drawing: Drawing::Timeline(TimelineFigure { timeline }),
    }
}

fn ink(outcome: Outcome) -> super::Ink {
    palette::series(match outcome {
        Outcome::Passed => 1,
        Outcome::Failed => 2,
        Outcome::Error => 5,
        Outcome::Skipped | Outcome::NotRun => 0,
        Outcome::TimedOut | Outcome::Crashed => 4,
    })
}

impl TimelineFigure {
    fn bottom(&self) -> i32 {
        LEGEND + STAGES + LANE * self.timeline.lanes.len().max(1) as i32
    }

    pub fn size(&self) -> (u32, u32) {
        (WIDTH as u32, (self.bottom() + BELOW) as u32)
    }

    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let timeline = &self.timeline;
        let scale = Scale::over(&[0.0, timeline.seconds], Kind::Linear, LABELS, WIDTH - MARGIN);
        let top = LEGEND + STAGES;
        Axis { label: "seconds", reference: None, scale: &scale, top, bottom: self.bottom() }.draw(canvas)?;
        self.draw_legend(canvas)?;
        for (lane, label) in timeline.lanes.iter().enumerate() {
            let y = top + LANE * lane as i32 + LANE / 2;
            canvas.text(&fitted(label, LABELS - MARGIN, 12.0), (LABELS - 8, y), 12.0, palette::INK, Anchor::End)?;
        }
        for bar in &timeline.bars {
            let y = top + LANE * bar.lane as i32;
            let (left, right) = (scale.at(bar.start), scale.at(bar.start + bar.seconds));
            canvas.fill((left, y + 3), (right.max(left + 1), y + LANE - 3), ink(bar.outcome), 0.85)?;
        }
        self.draw_stages(canvas, &scale)
    }

    fn draw_stages<D: DrawingBackend>(&self, canvas: &Canvas<D>, scale: &Scale) -> Drawn<D> {
        let stages = &self.timeline.stages;
        for (index, stage) in stages.iter().enumerate() {
            let x = scale.at(stage.start);
            let next = stages.get(index + 1).map_or(WIDTH - MARGIN, |next| scale.at(next.start));
            canvas.dashes((x, LEGEND), (x, self.bottom()), palette::FAINT, 1)?;
            let label = fitted(&stage.purpose, next - x - 6, 12.0);
            canvas.text(&label, (x + 4, LEGEND + STAGES / 2), 12.0, palette::FAINT, Anchor::Start)?;
        }
        Ok(())
    }

    /// The outcomes that occur.
    fn draw_legend<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let seen = Outcome::ALL.into_iter().filter(|outcome| self.timeline.bars.iter().any(|b| b.outcome == *outcome));
        for (place, outcome) in seen.enumerate() {
            let x = LABELS + 110 * place as i32;
            canvas.fill((x, 9), (x + 14, 21), ink(outcome), 0.85)?;
            let label = outcome.name().replace('_', " ");
            canvas.text(&label, (x + 20, 15), TEXT - 1.0, palette::INK, Anchor::Start)?;
        }
        Ok(())
    }
}
