//! The limbs of an arena that nobody holds, and the workspace of recordings.

use std::collections::VecDeque;

use everlevel_ring::device::DeviceLimb;

use crate::Error;

/// Limbs that nobody holds.
///
/// The limbs of the workspace, which grows as recordings need it, are held by recorded work alone: every recording may
/// write all of them, and none finds there again what it left.
#[derive(Debug)]
pub(crate) struct Free {
    pub general: Vec<DeviceLimb>,
    workspace: VecDeque<DeviceLimb>,
    is_workspace: Vec<bool>,
    is_recording: bool,
}

impl Free {
    pub fn new(limb_count: u32) -> Self {
        let general = (0..limb_count).rev().map(DeviceLimb).collect();
        Self {
            general,
            workspace: VecDeque::new(),
            is_workspace: vec![false; limb_count as usize],
            is_recording: false,
        }
    }

    /// Whether limbs are taken from the workspace.
    pub fn record(&mut self, is_recording: bool) {
        self.is_recording = is_recording;
    }

    pub fn is_recording(&self) -> bool {
        self.is_recording
    }

    /// Whether a call may name a limb.
    pub(crate) fn may_name(&self, limb: DeviceLimb) -> bool {
        !self.is_recording || self.is_workspace[limb.0 as usize]
    }

    /// Whether a limb of the workspace is held by no recorded work.
    pub(crate) fn is_spare(&self, limb: DeviceLimb) -> bool {
        self.workspace.contains(&limb)
    }

    pub fn take(&mut self, count: usize) -> Result<Vec<DeviceLimb>, Error> {
        let missing = if self.is_recording { count.saturating_sub(self.workspace.len()) } else { count };
        let Some(left) = self.general.len().checked_sub(missing) else {
            return Err(Error::OutOfLimbs { wanted: missing, free: self.general.len() });
        };
        let mut limbs = self.general.split_off(left);
        if self.is_recording {
            limbs.iter().for_each(|limb| self.is_workspace[limb.0 as usize] = true);
            limbs.extend(self.workspace.drain(..count - missing));
        }
        Ok(limbs)
    }

    pub(crate) fn give(&mut self, limbs: &[DeviceLimb]) {
        for &limb in limbs {
            match self.is_workspace[limb.0 as usize] {
                true => self.workspace.push_back(limb),
                false => self.general.push(limb),
            }
        }
    }
}
