import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Failure } from '../../../kernel/failure/failure.js';
import type { FailureCode } from '../../../kernel/failure/registry.js';
import { FailureFilter } from '../../../platform/http/failure-filter.js';
import { page, pageHeaders } from '../domain/page.js';

const PAGES: Partial<Record<FailureCode, { readonly status: number; readonly title: string; readonly text: string }>> =
  {
    'resource.not_found': {
      status: 404,
      title: 'This request is over',
      text: 'It was answered, it took too long, or it was begun in another browser. Start again from the client.',
    },
    'caller.role_forbidden': {
      status: 403,
      title: 'You cannot allow this',
      text: 'Only administrators of the dealer group who have just signed in may let a client in.',
    },
  };

/** What people meet is told to people; everything else goes the way of all failures. */
@Catch()
@Injectable()
export class InteractionFailurePage implements ExceptionFilter {
  constructor(@Inject(FailureFilter) private readonly rest: FailureFilter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const told = error instanceof Failure ? PAGES[error.code] : undefined;
    if (told === undefined) {
      this.rest.catch(error, host);
      return;
    }
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    reply
      .code(told.status)
      .headers(pageHeaders())
      .send(page(told.title, `<p>${told.text}</p>`));
  }
}
