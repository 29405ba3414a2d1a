import {
  Body,
  Controller,
  Get,
  Headers,
  Inject,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { entityTagOf, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { IssueStaffCode } from '../app/issue-staff-code.js';
import { ManageStaff } from '../app/manage-staff.js';
import type { StaffRecord } from '../domain/staff-record.js';
import { personOrigin } from './person-origin.js';
import { ChangePersonDto, NewPersonDto } from './staff.dto.js';
import { codeView, personView } from './staff-views.js';

const RETENTION = 'access_history';

/** Persons of the organization, or of the platform for operators. Keys may look; only persons change who is one (decision record 0033). */
@ApiTags('staff')
@ApiBearerAuth()
@Controller('admin/v1/staff')
@Access({ kind: 'key', roles: ['admin'], of: 'either' })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class StaffController {
  constructor(
    @Inject(ManageStaff) private readonly staff: ManageStaff,
    @Inject(IssueStaffCode) private readonly codes: IssueStaffCode,
  ) {}

  @Get()
  @AdminOperation({ name: 'staff.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List staff persons by id, disabled ones included' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const persons = await this.staff.list(organizationOf(request), pageRequestOf(query));
    return pageOf('persons', query, persons, personView, (person) => person.personId);
  }

  @Post()
  @AdminOperation({
    name: 'staff.create',
    audit: 'change',
    change: 'creation',
    retention: RETENTION,
  })
  @ApiOperation({ summary: 'Add a person' })
  async create(
    @Body() { name, role, issuer, subject }: NewPersonDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const identity = issuer === undefined || subject === undefined ? {} : { identity: { issuer, subject } };
    const origin = personOrigin(request);
    return tagged(reply, await this.staff.create(organizationOf(request), { name, role, ...identity }, origin));
  }

  @Get(':person_id')
  @AdminOperation({ name: 'staff.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a person; the ETag is their version' })
  async get(
    @Param('person_id') personId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return tagged(reply, await this.staff.get(organizationOf(request), personId));
  }

  @Patch(':person_id')
  @AdminOperation({
    name: 'staff.change',
    audit: 'change',
    change: 'conditional',
    retention: RETENTION,
  })
  @ApiOperation({ summary: "Change a person's name or role, disable or enable them" })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the person.' })
  async change(
    @Param('person_id') personId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { name, role, disabled }: ChangePersonDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const requested = {
      ...(name === undefined ? {} : { name }),
      ...(role === undefined ? {} : { role }),
      ...(disabled === undefined ? {} : { disabled }),
      expectedVersions: versionsNamed(ifMatch),
    };
    const origin = personOrigin(request);
    return tagged(reply, await this.staff.change(organizationOf(request), personId, requested, origin));
  }

  @Post(':person_id/codes')
  @AdminOperation({
    name: 'staff.issue_code',
    audit: 'change',
    change: 'creation',
    retention: RETENTION,
  })
  @ApiOperation({ summary: 'Issue a one-time code to sign in with; it is shown once' })
  async issueCode(@Param('person_id') personId: string, @Req() request: FastifyRequest): Promise<object> {
    return codeView(await this.codes.run(organizationOf(request), personId, personOrigin(request)));
  }
}

function tagged(reply: FastifyReply, person: StaffRecord): object {
  reply.header('etag', entityTagOf(person.version));
  return personView(person);
}
