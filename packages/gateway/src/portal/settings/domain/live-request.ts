import { mayDo, type Right, type Role } from '@tollgate/portal-contract/rights'
import { changedMeanwhile, refused, type Refusal } from '../../../base/refusal.ts'
import { differences, type ModeDifference, type ModeFacts } from './going-live.ts'

type Mode = 'test' | 'live'

export type LiveRequestState = 'open' | 'approved' | 'refused' | 'withdrawn' | 'void' | 'expired'

/** The differences if the site were moved now. */
export interface Listing {
  readonly from: Mode
  readonly to: Mode
  readonly lines: readonly ModeDifference[]
  /** Names the list, without what traffic changes; to be sent with a request. */
  readonly digest: string
}

/** A stored request to move a site, as a decision reads it. */
export interface LiveRequest {
  readonly id: bigint
  readonly wantedMode: Mode
  readonly state: LiveRequestState
  /** Of the list that the portal user who asked has seen. */
  readonly digest: string
  readonly requestedBy: bigint
  readonly requesterSession: bigint
  /** Whether it is older than 24 hours. */
  readonly isOver: boolean
}

/**
 * The portal user who acts, with the role they have at this moment; null for a disabled portal
 * user.
 */
export interface ActingUser {
  readonly id: bigint
  readonly sessionId: bigint
  readonly role: Role | null
}

/** A refusal, and the state in which it leaves an open request; null where that stays open. */
export interface LiveRequestRefused {
  readonly refusal: Refusal
  readonly ends: 'void' | 'expired' | null
}

/** Lists what will differ; `digest` is SHA-256 as hexadecimal text. */
export function listingOf(facts: ModeFacts, digest: (text: string) => string): Listing {
  const lines = differences(facts)
  const { from, to } = facts
  return { from, to, lines, digest: digest(JSON.stringify([to, lines])) }
}

/** Puts what is left behind before the lines that are only good to know. */
export function withLeftBehind(
  lines: readonly ModeDifference[],
  left: readonly ModeDifference[],
): readonly ModeDifference[] {
  const firstInfo = lines.findIndex(({ level }) => level === 'info')
  const at = firstInfo === -1 ? lines.length : firstInfo
  return lines.toSpliced(at, 0, ...left)
}

/**
 * Why this portal user may not ask; null where they may. `seen`: the digest that they have seen.
 */
export function decideNewRequest(
  { role }: Pick<ActingUser, 'role'>,
  listing: Pick<Listing, 'digest' | 'lines'>,
  seen: string,
): Refusal | null {
  const fault = roleFault(role, 'sites.go_live')
  if (fault !== null) return fault
  if (listing.digest !== seen) {
    return changedMeanwhile('The list of changes is out of date. Review it again.')
  }
  const blocked = listing.lines.filter(({ level }) => level === 'blocks')
  if (blocked.length === 0) return null
  return refused(
    'conflict',
    blocked.map(({ title }) => `${title}.`),
  )
}

/** Why this portal user may not approve the request now; null where they may. */
export function decideApproval(
  request: LiveRequest | null,
  requester: ActingUser,
  facts: {
    /** The role of the portal user who asked, at this moment; null for a disabled portal user. */
    readonly requesterRole: Role | null
    /**
     * Whether a user made a link for the approver within 24 hours. The creator of a link can open
     * it, and act as two users.
     */
    readonly cameInOfLate: boolean
    /** Null where the site is gone. */
    readonly listing: Pick<Listing, 'to' | 'digest'> | null
  },
): LiveRequestRefused | null {
  const fault = decideRefusal(request, requester)
  if (fault !== null || request === null) return fault
  const { requesterRole, cameInOfLate, listing } = facts
  if (roleFault(requesterRole, 'sites.go_live') !== null) {
    const sentence =
      'The user who made the request no longer has the permission. The request is invalid.'
    return { refusal: changedMeanwhile(sentence), ends: 'void' }
  }
  if (cameInOfLate) {
    return staysOpen(
      refused(
        'forbidden',
        'You signed in through a link that was created within the last 24 hours. ' +
          'Ask another user to approve the request, or wait a day.',
      ),
    )
  }
  if (listing === null)
    return { refusal: refused('missing', 'This site does not exist.'), ends: null }
  if (listing.to !== request.wantedMode || listing.digest !== request.digest) {
    const sentence =
      'The site changed after the request was made, so the request is invalid. Ask for a new request.'
    return { refusal: changedMeanwhile(sentence), ends: 'void' }
  }
  return null
}

/** Why this portal user may not refuse the request now; null where they may. */
export function decideRefusal(
  request: LiveRequest | null,
  requester: ActingUser,
): LiveRequestRefused | null {
  const role = roleFault(requester.role, 'sites.approve_live')
  if (role !== null) return staysOpen(role)
  if (request === null) return staysOpen(refused('missing', 'This request does not exist.'))
  if (request.state !== 'open') return staysOpen(notOpen(request))
  if (request.isOver) {
    const sentence = 'The request expired after 24 hours. Ask for a new request.'
    return { refusal: refused('conflict', sentence), ends: 'expired' }
  }
  if (request.requestedBy === requester.id || request.requesterSession === requester.sessionId) {
    return staysOpen(refused('forbidden', 'You made this request. Another user must decide.'))
  }
  return null
}

/** Why this portal user may not take the request back; null where they may. */
export function decideWithdrawal(
  request: LiveRequest | null,
  requester: Pick<ActingUser, 'id' | 'role'>,
): Refusal | null {
  const fault = roleFault(requester.role, 'sites.go_live')
  if (fault !== null) return fault
  if (request === null) return refused('missing', 'This request does not exist.')
  if (request.state !== 'open') return notOpen(request)
  return request.requestedBy === requester.id
    ? null
    : refused('forbidden', 'Only the user who made the request can withdraw it. Refuse it instead.')
}

/** A role may be taken away while a page is open, so it is judged again under the lock. */
function roleFault(role: Role | null, right: Right): Refusal | null {
  return role !== null && mayDo(role, right)
    ? null
    : refused('forbidden', 'Your role was changed and no longer allows this.')
}

function notOpen({ state }: LiveRequest): Refusal {
  return refused('conflict', `The request is already ${state}.`)
}

function staysOpen(refusal: Refusal): LiveRequestRefused {
  return { refusal, ends: null }
}
