/**
 * Version of what {@link serializeVehicle} writes for the same unit and policy. To be raised with every change of its
 * output: stored heads of an older version are then written again from their records when they are read (decision record
 * 0025). Its spec holds a sample against this number.
 */
export const SERIALISER_VERSION = 2;
