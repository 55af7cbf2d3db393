//! How much memory the process uses in each phase of some work.

use superword::observe::Phase;

/// What the system tells about the memory of this process, in bytes.
#[derive(Clone, Copy)]
struct Resident {
    now: u64,
    /// The highest value since the process started.
    peak: u64,
}

impl Resident {
    /// `None` if the system does not tell.
    #[cfg(target_os = "linux")]
    fn read() -> Option<Resident> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let field = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
            kilobytes.checked_mul(1024)
        };
        Some(Resident {
            now: field("VmRSS:")?,
            peak: field("VmHWM:")?,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn read() -> Option<Resident> {
        None
    }
}

/// The most memory that was used in each phase.
///
/// The system keeps one peak for the whole process, and it is left alone, because others may want to
/// read it. If it rises in a phase, it is the peak of the phase. Otherwise the highest of the values
/// that were read now and then is.
#[derive(Default)]
pub(super) struct Peaks {
    finished: Vec<(Phase, u64)>,
    current: Option<Current>,
}

struct Current {
    phase: Phase,
    /// The peak of the process when the phase began.
    before: u64,
    highest: u64,
}

impl Peaks {
    /// Notices that a phase goes on or begins.
    pub(super) fn enter(&mut self, phase: Phase) {
        if self.current.as_ref().map(|current| current.phase) == Some(phase) {
            return;
        }
        self.leave();
        self.current = Resident::read().map(|resident| Current {
            phase,
            before: resident.peak,
            highest: resident.now,
        });
    }

    /// Reads the memory in use. Called now and then.
    pub(super) fn sample(&mut self) {
        if let Some(current) = &mut self.current
            && let Some(resident) = Resident::read()
        {
            current.highest = current.highest.max(resident.now);
        }
    }

    /// The work is over, or another phase begins.
    fn leave(&mut self) {
        self.sample();
        let Some(current) = self.current.take() else {
            return;
        };
        let peak = match Resident::read() {
            Some(resident) if resident.peak > current.before => resident.peak,
            _ => current.highest,
        };
        let of_phase = self.finished.iter_mut();
        match of_phase
            .into_iter()
            .find(|(phase, _)| *phase == current.phase)
        {
            Some((_, before)) => *before = peak.max(*before),
            None => self.finished.push((current.phase, peak)),
        }
    }

    /// The peak of each phase, in bytes. A phase that ran twice has one. Empty if the system does
    /// not tell.
    pub(super) fn finish(mut self) -> Vec<(Phase, u64)> {
        self.leave();
        self.finished
    }
}
