/**
 * When an application loads what it did not need to start, counted from its bootstrap: by then it listens, and neither a
 * rollout nor a probe has to wait for the files.
 */
export const LOAD_AFTER_MS = 500;
