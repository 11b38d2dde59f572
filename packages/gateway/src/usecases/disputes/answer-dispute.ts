import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import { takesAnswers, type DisputeState } from '../../domain/disputes/dispute-states.ts'
import {
  fileFault,
  textFault,
  typeOfContent,
  type EvidenceType,
} from '../../domain/disputes/evidence.ts'
import type { AuditAuthor, AuditEntry } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** A case under its lock. */
export interface LockedDispute {
  readonly id: bigint
  readonly merchantId: bigint
  readonly caseId: string
  readonly state: DisputeState
  /** The number of its newest notice: the stage that an answer is for. */
  readonly stageN: bigint
  /** Whether this stage has an answer that was not refused. */
  readonly isAnswered: boolean
  /** Files that no answer has taken along, and not erased ones. */
  readonly freeFiles: readonly bigint[]
  /** All files that are kept. */
  readonly keptFiles: number
  readonly keptBytes: number
}

export interface NewEvidence {
  readonly name: string
  readonly type: EvidenceType
  readonly content: Uint8Array
  readonly by: string
  readonly at: Date
}

export interface AnswerTx {
  /** Locks a case of a merchant, or of any for null, then reads it; null for none. */
  lock(id: bigint, merchantId: bigint | null): Promise<LockedDispute | null>
  addFile(dispute: LockedDispute, file: NewEvidence): Promise<bigint>
  removeFile(id: bigint): Promise<void>
  /** Stores the answer with the free files of the case. The answer is the new id. */
  addAnswer(
    dispute: LockedDispute,
    answer: {
      readonly answer: 'accept' | 'contest'
      readonly text: string
      readonly by: string
      readonly at: Date
    },
  ): Promise<bigint>
}

export interface DisputeAnswers {
  /** Keeps a file as evidence, encrypted. */
  addFile(
    disputeId: bigint,
    file: { readonly name: string; readonly content: Uint8Array },
    by: AuditAuthor,
  ): Promise<Result<{ readonly fileId: bigint }>>
  /** Deletes a file that no answer has taken along. */
  removeFile(disputeId: bigint, fileId: bigint, by: AuditAuthor): Promise<Result>
  /** Accepts the case: its money is given up. */
  accept(disputeId: bigint, by: AuditAuthor): Promise<Result<{ readonly answerId: bigint }>>
  /** Answers with a text and with all files of the case that no answer has taken along. */
  contest(
    disputeId: bigint,
    text: string,
    by: AuditAuthor,
  ): Promise<Result<{ readonly answerId: bigint }>>
}

type Tx = AnswerTx & AuditedTx
type Details = NonNullable<AuditEntry['details']>

/**
 * The answers of merchants to their disputes. An answer is durable before it is sent; a job or an
 * operator sends it.
 * @param within the only merchant whose disputes exist; null: an operator, for all merchants
 */
export function createDisputeAnswers(
  transact: Transact<Tx>,
  clock: { now(): Date },
  within: bigint | null,
): DisputeAnswers {
  const change = <Done extends object>(
    id: bigint,
    by: AuditAuthor,
    operation: AuditEntry['operation'],
    work: (
      tx: Tx,
      found: LockedDispute,
    ) => Promise<{ readonly done: Done; readonly details: Details } | Refusal>,
  ): Promise<Result<Done>> =>
    transact(async (tx): Promise<Result<Done>> => {
      const found = await tx.lock(id, within)
      if (found === null) return refused('missing', `Dispute ${id} does not exist.`)
      const answer = await work(tx, found)
      if (!('done' in answer)) return answer
      const { merchantId } = found
      const { details } = answer
      const object = `dispute ${id}`
      await tx.audit([{ ...by, operation, object, merchantId, result: 'done', details }])
      return { ok: true, ...answer.done }
    })

  const answer = (id: bigint, kind: 'accept' | 'contest', text: string, by: AuditAuthor) =>
    change(id, by, 'dispute.answered', async (tx, found) => {
      const fault = answerFault(found, kind, text)
      if (fault !== null) return fault
      const made = { answer: kind, text, by: by.actor, at: clock.now() }
      const answerId = await tx.addAnswer(found, made)
      const files = kind === 'contest' ? found.freeFiles.length : 0
      return { done: { answerId }, details: { answer: kind, number: answerId.toString(), files } }
    })

  return {
    addFile: (id, { content, name }, by) =>
      change(id, by, 'dispute.evidence_added', async (tx, found) => {
        if (!takesAnswers(found.state)) return cannotAnswer(found)
        const kept = { files: found.keptFiles, bytes: found.keptBytes }
        const fault = fileFault(name, content, kept)
        const type = typeOfContent(content)
        if (fault !== null || type === null) return refused('invalid', fault ?? '')
        const file = { name, type, content, by: by.actor, at: clock.now() }
        const fileId = await tx.addFile(found, file)
        const details = { file: fileId.toString(), type, bytes: content.length }
        return { done: { fileId }, details }
      }),
    removeFile: (id, fileId, by) =>
      change(id, by, 'dispute.evidence_removed', async (tx, found) => {
        if (!found.freeFiles.includes(fileId)) {
          const fault = `Dispute ${id} has no file ${fileId}, or an answer has taken it along.`
          return refused('missing', fault)
        }
        await tx.removeFile(fileId)
        return { done: {}, details: { file: fileId.toString() } }
      }),
    accept: (id, by) => answer(id, 'accept', '', by),
    contest: (id, text, by) => answer(id, 'contest', text, by),
  }
}

function answerFault(
  found: LockedDispute,
  kind: 'accept' | 'contest',
  text: string,
): Refusal | null {
  if (!takesAnswers(found.state)) return cannotAnswer(found)
  if (found.isAnswered) {
    return refused('conflict', `Dispute ${found.id} has an answer to this stage already.`)
  }
  if (kind === 'accept') {
    const fault = 'An inquiry has moved no money: contest it, or refund the order.'
    return found.state === 'inquiry' ? refused('conflict', fault) : null
  }
  const fault = textFault(text)
  if (fault !== null) return refused('invalid', fault, { field: 'text' })
  if (text.trim() === '' && found.freeFiles.length === 0) {
    return refused('invalid', 'An answer that contests a case needs a text or a file.')
  }
  return null
}

function cannotAnswer({ id, state }: LockedDispute): Refusal {
  return refused('conflict', `Dispute ${id} is in state ${state} and takes no answer.`)
}
