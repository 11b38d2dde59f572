import { disputes as table } from '@tollgate/portal-contract/routes/disputes'
import { z } from 'zod'
import type { Result } from '../../../base/refusal.ts'
import { MOST_FILE_BYTES, MOST_TEXT_CHARACTERS } from '../../../domain/disputes/evidence.ts'
import type { DisputeAnswers } from '../../../usecases/disputes/answer-dispute.ts'
import { idOf } from '../../shell/ids.ts'
import {
  Download,
  implement,
  notFound,
  orFault,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import { readEvidence, type ReadEvidence } from '../usecases/read-evidence.ts'

/** Base64 has four characters for three bytes; names and JSON have the rest. */
const FILE_BODY_BYTES = Math.ceil(MOST_FILE_BYTES / 3) * 4 + 4_096

export interface AnswerRoutesDeps {
  readonly evidence: ReadEvidence
  /** The answers within one merchant. */
  readonly answersOf: (merchantId: bigint) => DisputeAnswers
}

/** Evidence of disputes, and the answers to them. */
export function answerRoutes(deps: AnswerRoutesDeps): readonly PortalRoute[] {
  return [...evidenceRoutes(deps), ...endingRoutes(deps)]
}

function evidenceRoutes({ answersOf, evidence }: AnswerRoutesDeps): readonly PortalRoute[] {
  return [
    implement(table.file, {
      async handle({ address, params, portalUser }) {
        const { merchantId } = portalUser
        const fileId = idOf(params.file, 'file')
        const disputeId = idOf(params.id, 'dispute')
        const by = { actor: portalUserActor(portalUser), address }
        const found = await readEvidence(evidence, { merchantId, disputeId, fileId }, by)
        if (found === null) throw notFound('file')
        const { content, file } = found
        // The name of the file is any text, and would be one in a header.
        const name = `evidence-${fileId}${EXTENSIONS[file.type]}`
        return new Download(name, file.type, pieces(content))
      },
    }),
    implement(table.addFile, {
      body: z.strictObject({ name: z.string(), content: z.base64() }),
      bodyLimit: FILE_BODY_BYTES,
      async handle(call) {
        const { content, name } = call.body
        const file = { name, content: Buffer.from(content, 'base64') }
        const { answers, by, id } = answering(answersOf, call)
        return done(await answers.addFile(id, file, by))
      },
    }),
    implement(table.removeFile, {
      async handle(call) {
        const { answers, by, id } = answering(answersOf, call)
        return done(await answers.removeFile(id, idOf(call.params.file, 'file'), by))
      },
    }),
  ]
}

function endingRoutes({ answersOf }: AnswerRoutesDeps): readonly PortalRoute[] {
  return [
    implement(table.accept, {
      async handle(call) {
        const { answers, by, id } = answering(answersOf, call)
        return done(await answers.accept(id, by))
      },
    }),
    implement(table.contest, {
      body: z.strictObject({ text: z.string().max(MOST_TEXT_CHARACTERS) }),
      async handle(call) {
        const { answers, by, id } = answering(answersOf, call)
        return done(await answers.contest(id, call.body.text, by))
      },
    }),
  ]
}

const EXTENSIONS = {
  'application/pdf': '.pdf',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'text/plain': '.txt',
} as const

// eslint-disable-next-line @typescript-eslint/require-await
async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

function answering(
  answersOf: AnswerRoutesDeps['answersOf'],
  {
    address,
    params,
    portalUser,
  }: Pick<PortalCall<unknown, unknown, { id: string }>, 'address' | 'params' | 'portalUser'>,
) {
  return {
    answers: answersOf(portalUser.merchantId),
    id: idOf(params.id, 'dispute'),
    by: { actor: portalUserActor(portalUser), address },
  }
}

function done(result: Result): { readonly done: boolean } {
  if (!result.ok && result.kind === 'missing') throw notFound('dispute or file')
  orFault(result)
  return { done: true }
}
