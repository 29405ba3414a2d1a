import type { HoldParts } from './hold-parts.js';
import type { NoticeStore } from './notice-store.js';
import type { NoticePost } from './post-notice.js';

/** What every use case of notices works with. */
export type NoticeParts = HoldParts & NoticePost & { readonly notices: NoticeStore };
