import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, MaxLength, MinLength, type ValidationOptions } from 'class-validator';

/** One line of text for people: no control characters, not blank, no spaces around it. */
export const IsLine = (longest: number, options: ValidationOptions = {}): PropertyDecorator =>
  applyDecorators(
    IsString(options),
    MinLength(1, options),
    MaxLength(longest, options),
    Matches(/^(?!\s)[^\p{Cc}\p{Cf}\u2028\u2029]*(?<!\s)$/u, { ...options, message: 'must be one line of text' }),
  );
