/** The size that a checkpoint names in its second line (C2SP tlog-checkpoint). */
export const checkpointSizeOf = (note: string): number => Number(note.split('\n', 2)[1]);
