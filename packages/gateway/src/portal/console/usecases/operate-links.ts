import { refused, type Result } from '../../../base/refusal.ts'
import { decideLink } from '../../../domain/banks/link-change.ts'
import type { LinkOutline, SealedLink } from '../../../domain/banks/link-outline.ts'
import {
  createPutLink,
  sealLink,
  type SealLinkKey,
  type StoredLink,
} from '../../../usecases/banks/put-link.ts'
import type { LinkDraft } from '../../../usecases/merchants/operator.ts'
import {
  differenceText,
  linkDifference,
  linkNeedsSecond,
  type LinkChange,
} from '../domain/link-difference.ts'
import { cardTextFault } from '../domain/new-merchant-parts.ts'
import { seenChanged } from '../domain/operator-request.ts'
import type { ConsoleRequester } from './console-operator.ts'
import { rightFault, within, type DoneOrRequested } from './operate-merchants.ts'
import type { ConsoleTx, OperatorsStore } from './operators-store.ts'
import { requestOperation } from './request-operation.ts'

/** The file of a link, and the PEM files that it names, as a browser sends them. */
export interface SentLink {
  readonly file: string
  readonly pem: readonly { readonly name: string; readonly text: string }[]
}

/** A link that could be put, beside the stored one. */
export interface JudgedLink {
  readonly name: string
  readonly isNew: boolean
  readonly changes: readonly LinkChange[]
  /** Ids of the accounts that use it. */
  readonly accounts: readonly string[]
  readonly warnings: readonly string[]
  readonly needsSecond: boolean
}

/** Processor links at the console, by the rules of the command. */
export interface OperateLinks {
  /** Judges a file, and stores nothing. */
  judge(sent: SentLink): Promise<Result<{ readonly judged: JudgedLink }>>
  /** Creates or changes a link; a second operator confirms a live one. */
  put(requester: ConsoleRequester, sent: SentLink, reason: string): Promise<DoneOrRequested>
}

interface LinksDeps extends Pick<OperatorsStore, 'transact'> {
  /** Null for no such link. */
  readonly readLink: (name: string) => Promise<StoredLink | null>
  /** Reads a file and the PEM files beside it, as the command does. */
  readonly readFile: (
    sent: SentLink,
  ) => Result<{ readonly link: LinkDraft; readonly warnings: readonly string[] }>
  readonly sealKey: SealLinkKey
  readonly certificateText: (pem: string) => string
}

export function createOperateLinks(deps: LinksDeps): OperateLinks {
  const { certificateText, sealKey, transact } = deps
  return {
    async judge(sent) {
      const read = linkOfText(deps, sent)
      if (!read.ok) return read
      const { name } = read.link
      const before = await deps.readLink(name)
      const link = outlineOf(read.link)
      const modes = before?.accounts.map(({ mode }) => mode) ?? []
      const refusal = decideLink(link, modes)
      if (refusal !== null) return refusal
      return {
        ok: true,
        judged: {
          name,
          isNew: before === null,
          changes: linkDifference(before, link, certificateText),
          accounts: before?.accounts.map(({ id }) => id) ?? [],
          warnings: read.warnings,
          needsSecond: linkNeedsSecond(before, link),
        },
      }
    },

    async put(requester, sent, reason) {
      const read = linkOfText(deps, sent)
      if (!read.ok) return read
      // Before the transaction: the vault may be another process.
      const sealed = await sealLink(read.link, sealKey)
      return transact<DoneOrRequested>(async (tx) => {
        const fault = await rightFault(tx, requester)
        if (fault !== null) return fault
        const { link } = sealed
        const seen = await tx.links.lockLink(link.name)
        const before = await tx.readLink(link.name)
        if (linkNeedsSecond(before, link)) {
          const refusal = decideLink(link, await tx.links.readModesInUse(link.name))
          if (refusal !== null) return refusal
          const isNew = before === null
          const operation = { does: 'put_link', isNew, ...sealed } as const
          const label = differenceText(linkDifference(before, link, certificateText))
          return requestOperation(tx, requester, operation, { label, seen: seen ?? NONE, reason })
        }
        const put = await createPutLink(within(tx.links))(sealed, requester)
        return put.ok ? { ok: true, done: true } : put
      })
    },
  }
}

/** Puts the link that a second operator approved, unless it changed. */
export async function putRequestedLink(
  tx: ConsoleTx,
  sealed: SealedLink,
  seen: string,
  requester: ConsoleRequester,
): Promise<Result> {
  if (((await tx.links.lockLink(sealed.link.name)) ?? NONE) !== seen) return seenChanged()
  return createPutLink(within(tx.links))(sealed, requester)
}

/** The state on which a request for a new link rests. */
const NONE = 'no such link'

function outlineOf({ tls, ...rest }: LinkDraft): LinkOutline {
  return { ...rest, tls: tls === null ? null : { ca: tls.ca, cert: tls.client?.cert ?? null } }
}

/** The link of a file. No sentence repeats a card number or a private key. */
function linkOfText({ readFile }: LinksDeps, sent: SentLink): ReturnType<LinksDeps['readFile']> {
  if (/PRIVATE KEY/i.test(sent.file)) {
    return refused(
      'invalid',
      'The file has a private key in it; expected the name of its PEM file. ' +
        'Name that file in tls.keyFile, and choose it.',
    )
  }
  const read = readFile(sent)
  // An escaped number shows in the sentences only.
  const texts = [sent.file, ...(read.ok ? [] : read.faults)]
  return cardTextFault({ file: texts.join('\n') }) ?? read
}
