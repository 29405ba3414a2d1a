import type { CustomDecorator } from '@nestjs/common';
import { SetMetadata } from '@nestjs/common';
import type { KeyRole } from '../../kernel/caller.js';
import type { RetentionCategory } from '../../kernel/retention/retention-categories.js';

/** How a route lets callers in. A handler that declares nothing is refused by the guard (deny by default). */
export type RouteAccess =
  | { readonly kind: 'public'; readonly why: string }
  /** A protocol surface authenticates and decides per operation itself, through the pipeline. */
  | { readonly kind: 'surface'; readonly surface: 'mcp' | 'a2a' }
  | {
      readonly kind: 'key';
      readonly roles: readonly KeyRole[];
      /** Whose staff: of an organization (where nothing is said), of the platform (operators), or of both. */
      readonly of?: 'organization' | 'platform' | 'either';
    };

export const ACCESS_METADATA = 'forecourt:access';

export const Access = (access: RouteAccess): CustomDecorator => SetMetadata(ACCESS_METADATA, access);

/**
 * What a change of the admin API needs besides its key (decision record 0035).
 * `creation` makes something new and finds nothing that it could overwrite.
 * `conditional` changes what is there, from the version that If-Match names.
 * `revocation` ends something and is never held up by a version.
 * `step` goes from one state to the next and is possible from that state alone, so that the state is its precondition.
 */
export type ChangeKind = 'creation' | 'conditional' | 'revocation' | 'step';

/** Names the operation of an admin route for the audit trail and the route list. */
export interface RouteOperation {
  /** For example `feeds.upload`. */
  readonly name: string;
  readonly audit: 'change' | 'read' | 'none';
  /** What kind of change it is; every changing route of the admin API says so. */
  readonly change?: ChangeKind;
  /** What it leaves behind, or shows, beside its own audit record; `none`: nothing that is kept. */
  readonly retention: RetentionCategory | 'none';
}

export const OPERATION_METADATA = 'forecourt:operation';
export const AdminOperation = (operation: RouteOperation): CustomDecorator =>
  SetMetadata(OPERATION_METADATA, operation);
