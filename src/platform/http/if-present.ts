import { ValidateIf } from 'class-validator';

/** The member may be left out. Unlike `IsOptional` it may not be null: nothing in a request means «no value» in two ways. */
export const IfPresent = (): PropertyDecorator => ValidateIf((_dto: object, value: unknown) => value !== undefined);
