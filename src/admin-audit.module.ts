import { Global, Module } from '@nestjs/common';
import type { AuditRecorder } from './kernel/ports/audit-recorder.js';
import { AUDIT_RECORDER } from './kernel/ports/audit-recorder.js';
import type { Clock } from './kernel/time.js';
import { CLOCK } from './kernel/time.js';
import { AuditModule } from './modules/audit/index.js';
import { AdminAudit } from './platform/http/admin-audit.js';

/** Binds the edge's audit of staff to the audit module. */
@Global()
@Module({
  imports: [AuditModule],
  providers: [
    {
      provide: AdminAudit,
      inject: [AUDIT_RECORDER, CLOCK],
      useFactory: (recorder: AuditRecorder, clock: Clock) => new AdminAudit(recorder, clock),
    },
  ],
  exports: [AdminAudit],
})
export class AdminAuditModule {}
