export { EmbeddedIssuerModule } from './embedded-issuer.module.js';
