export { AuthorizationServerSubjectDataModule } from './authorization-subject-data.module.js';
export { AuthorizationServerModule } from './authorization-server.module.js';
export { EmbeddedIssuerModule } from './embedded-issuer.module.js';
export { registerOAuthParser } from './http/oauth-body.js';
