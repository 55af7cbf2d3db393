//! Encoding many texts, one at a time, on one thread.

use super::Encoder;
use super::pretokens::Workspace;
use crate::text::SplitError;

/// An encoder and a workspace of its own until it is dropped.
///
/// [`Encoder::encode_into`] borrows a workspace for each text. With several threads that would be
/// another one each time, and its cache would be in the caches of another core.
pub(super) struct Session<'e> {
    encoder: &'e Encoder,
    /// Only taken when the session is dropped.
    workspace: Option<Box<Workspace>>,
}

impl<'e> Session<'e> {
    pub(super) fn new(encoder: &'e Encoder) -> Session<'e> {
        Session {
            encoder,
            workspace: Some(encoder.workspaces.take()),
        }
    }

    /// [`Encoder::encode_ordinary`].
    pub(super) fn encode_ordinary(
        &mut self,
        text: &str,
        out: &mut Vec<u32>,
    ) -> Result<(), SplitError> {
        let workspace = self.workspace.get_or_insert_default();
        self.encoder
            .encode_with(workspace, text, self.encoder.ordinary(), out)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // After a panic the workspace may be in any state.
        if let Some(workspace) = self.workspace.take()
            && !std::thread::panicking()
        {
            self.encoder.workspaces.put(workspace);
        }
    }
}
