import type { ClockBasis, RetentionCategory } from '../retention/retention-categories.js';
import type { TenantTransaction } from './unit-of-work.js';

/** Whose data a request can be about. Subjects are ids, as the organization knows them. */
export const SUBJECT_KINDS = ['person', 'agent', 'client', 'key', 'recipient'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** `person`: staff. `agent`: subject of grants. `client`: agent client. `key`: holder of a key. `recipient`: target of statements or notices. */
export interface DataSubject {
  readonly kind: SubjectKind;
  readonly id: string;
}

/** How a subject is spelled where it is hashed: in the request, and in the journal outside the database. */
export const subjectName = ({ kind, id }: DataSubject): string => `${kind}/${id}`;

/** The id in what {@link subjectName} wrote. */
export const idInSubjectName = (name: string): string => name.slice(name.indexOf('/') + 1);

/** Everything that a subject is called, by kind. */
export type SubjectNames = Readonly<Partial<Record<SubjectKind, readonly string[]>>>;

/** A hold that covers a record at this moment. */
export interface CoveringHold {
  readonly holdId: string;
  readonly counting: boolean;
  /** End of the cooling period, in milliseconds; null while it was not released. */
  readonly freeFrom: number | null;
}

/** A row about a subject. */
export interface SubjectRecord {
  /** Unique within its place. */
  readonly recordId: string;
  readonly category: RetentionCategory;
  /** Null: not known. */
  readonly rooftops: readonly string[] | null;
  /** Milliseconds. */
  readonly clocks: Readonly<Partial<Record<ClockBasis, number | null>>>;
  readonly holds: readonly CoveringHold[];
  /** Why rows of this place are never erased; null where they are. */
  readonly keeps: string | null;
  /** What the subject gets to see of it: plain data, nothing of other persons. */
  readonly said: object;
}

/** What is listed: behind an id, in order of ids; subjects behind a name as `subjectName` spells it. Empty: from the first. */
export interface SubjectPage {
  readonly after: string;
  readonly limit: number;
}

/** Port: the data of persons that a module keeps (decision record 0049). Each module answers for its own places. */
export interface SubjectData {
  /** Names of the places, in the order in which they are erased: what others are found by goes last. */
  readonly places: readonly string[];
  /** Other names of the same subject, such as the keys of an agent. */
  namesBehind(tx: TenantTransaction, subject: DataSubject): Promise<SubjectNames>;
  /** Whether the subject still acts: a person in office, an agent with a grant in force. Then nothing of it is erased. */
  isInUse(tx: TenantTransaction, subject: DataSubject): Promise<boolean>;
  /** Every subject that the module can find anything by, behind an id. For whoever knows a subject by its hash alone. */
  subjects(tx: TenantTransaction, page: SubjectPage): Promise<readonly DataSubject[]>;
  records(
    tx: TenantTransaction,
    place: string,
    names: SubjectNames,
    page: SubjectPage,
  ): Promise<readonly SubjectRecord[]>;
  /**
   * Erases these records, those aside that a hold covers. Whoever calls has the holds' lock (`join_deletions`).
   * @param requestId of the privacy request: names put in place of erased ones refer to it
   * @returns ids of those that are erased
   */
  erase(
    tx: TenantTransaction,
    place: string,
    names: SubjectNames,
    erasure: { readonly recordIds: readonly string[]; readonly requestId: string },
  ): Promise<readonly string[]>;
}

/** Where the modules provide theirs. */
export const SUBJECT_DATA = {
  staff: Symbol('StaffSubjectData'),
  auth: Symbol('AuthSubjectData'),
  audit: Symbol('AuditSubjectData'),
  holds: Symbol('HoldSubjectData'),
  redaction: Symbol('RedactionSubjectData'),
  authorizationServer: Symbol('AuthorizationServerSubjectData'),
} as const;
