export { AuthModule } from './auth.module.js';
export { CREATE_KEY, CreateKey, type CreatedKey, type NewKey } from './app/create-key.js';
export type { KeyRefusal } from './app/authenticate-key.js';
