export { AuthAdminModule, AuthModule } from './auth.module.js';
export { AccessReviewModule } from './access-review.module.js';
export { CREATE_KEY, CreateKey, type CreatedKey, type NewKey } from './app/create-key.js';
export { DescribeResource, type ResourceDescription } from './app/describe-resource.js';
export { END_ALL_ACCESS, type EndAllAccess } from './app/end-all-access.js';
export { IssueGrant, type IssuedGrant, type RequestedGrant } from './app/issue-grant.js';
export { RecordDelegation, type RequestedDelegation } from './app/record-delegation.js';
export { RevokeAccess } from './app/revoke-access.js';
export { GRANT_PURPOSES, GRANT_SCOPES } from './domain/grant-vocabulary.js';
