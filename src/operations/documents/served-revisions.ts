/** The MCP revisions that are served, newest first: the one without sessions, and those that open with `initialize`. */
export const SERVED_REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
