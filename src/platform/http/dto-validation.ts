import type { ValidationError } from '@nestjs/common';
import { ValidationPipe } from '@nestjs/common';
import { Failure } from '../../kernel/failure/failure.js';
import type { Violation } from '../../kernel/failure/violation.js';

/** class-validator constraint → JSON Schema keyword, so that every surface speaks of violations alike. */
const KEYWORDS: Readonly<Record<string, string>> = {
  isDefined: 'required',
  isNotEmpty: 'required',
  isString: 'type',
  isInt: 'type',
  isNumber: 'type',
  isBoolean: 'type',
  isArray: 'type',
  isObject: 'type',
  isEnum: 'enum',
  isIn: 'enum',
  matches: 'pattern',
  minLength: 'minLength',
  maxLength: 'maxLength',
  min: 'minimum',
  max: 'maximum',
  isUrl: 'format',
  isISO8601: 'format',
  isRFC3339: 'format',
  arrayMinSize: 'minItems',
  arrayMaxSize: 'maxItems',
  arrayUnique: 'uniqueItems',
  whitelistValidation: 'additionalProperties',
  nestedValidation: 'type',
  isTimeZone: 'format',
  isISO4217CurrencyCode: 'format',
  length: 'minLength',
};
const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$|^\d{1,4}$/;

/** The validation pipe of the admin API: closed DTOs, every violation at once, no value in any message. */
export function adminValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: false,
    validationError: { target: false, value: false },
    exceptionFactory: (errors) =>
      new Failure('input.invalid', { violations: errors.flatMap((e) => violationsOf(e, '')) }),
  });
}

function violationsOf(error: ValidationError, parent: string): Violation[] {
  const pointer = SAFE_NAME.test(error.property) ? `${parent}/${error.property}` : parent;
  const own = Object.entries(error.constraints ?? {}).map(([constraint, message]) => ({
    pointer,
    keyword: KEYWORDS[constraint] ?? constraint,
    explanation: constraint === 'whitelistValidation' ? 'is not a member of this request' : message.slice(0, 500),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => violationsOf(child, pointer))];
}
