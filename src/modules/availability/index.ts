export { AvailabilityModule } from './availability.module.js';
export { type AvailabilityQuestion, type VerifiedAvailability, VerifyAvailability } from './app/verify-availability.js';
