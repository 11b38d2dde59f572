import type { CheckMode } from '../../../domain/payments/verification.ts'

type Mode = 'test' | 'live'

/** Everything that decides what differs for a site between its two modes. */
export interface ModeFacts {
  readonly from: Mode
  readonly to: Mode
  /** Every currency that the site takes in either mode, and by whom. */
  readonly routes: readonly {
    readonly currency: string
    readonly from: AccountRoute | null
    readonly to: AccountRoute | null
  }[]
  readonly hasOwnClock: boolean
  readonly cardTesting: 'off' | 'watch' | 'enforce'
  readonly threeDsUnavailable: 'authorize' | 'decline'
  readonly returnHosts: readonly string[]
  readonly tokenOrigins: readonly string[]
  /** Whether a token key is a published one of the sandbox. */
  readonly publishedTokenKey: boolean
  /** Portal users whose password is a published one of the sandbox. */
  readonly publishedPortalUsers: readonly string[]
  readonly apiUsers: {
    readonly enabled: number
    /** Published ones of the sandbox. */
    readonly published: readonly string[]
    readonly fromEverywhere: readonly string[]
    /** 0 for never. */
    readonly idleDays: number
  }
  readonly avsMode: CheckMode
  readonly cvvMode: CheckMode
  readonly cvvRequired: boolean
  readonly catalogue: {
    readonly kind: 'open' | 'strict'
    readonly active: number
    readonly defaultIsActive: boolean
  }
}

export interface AccountRoute {
  readonly accountId: string
  readonly processorName: string
  /** Name of the processor link; null for the bundled bank. */
  readonly link: string | null
  /** Whether a gateway process has it up at this moment. */
  readonly linkUp: boolean
  readonly threeDs: boolean
}

/** Numbers that traffic changes; shown, but part of no decision. */
export interface LeftBehind {
  readonly openAuthorizations: number
  readonly runningMemberships: number
}

/** One line of the dry run. */
export interface ModeDifference {
  /** The subject, for programs. */
  readonly key: string
  /**
   * `blocks`: the site cannot be moved. `care`: the user should have considered it. `info`: good to
   * know.
   */
  readonly level: 'blocks' | 'care' | 'info'
  readonly title: string
  readonly text: string
}

/** The differences after the move of the site, the gravest first. */
export function differences(facts: ModeFacts): ModeDifference[] {
  const lines = [
    ...routeLines(facts),
    ...(facts.to === 'live' ? liveLines(facts) : testLines(facts)),
    ...commonLines(facts),
  ]
  const weight = { blocks: 0, care: 1, info: 2 }
  return lines.toSorted((a, b) => weight[a.level] - weight[b.level])
}

/** The objects that stay behind, in numbers of this moment. */
export function leftBehindLines(from: Mode, left: LeftBehind): ModeDifference[] {
  const lines: ModeDifference[] = []
  if (left.openAuthorizations > 0) {
    lines.push({
      key: 'open_authorizations',
      level: 'care',
      title: `${count(left.openAuthorizations, 'open authorization')} of ${from} mode`,
      text:
        'While the site is in the other mode, their captures, refunds and voids are declined with 512, ' +
        'and they still expire. Captured amounts still reach the bank. Capture or void them first.',
    })
  }
  if (left.runningMemberships > 0) {
    lines.push({
      key: 'running_memberships',
      level: 'care',
      title: `${count(left.runningMemberships, 'active membership')} of ${from} mode`,
      text: 'They are paused until the site returns to this mode. Renewals and ends that become due meanwhile run then.',
    })
  }
  return lines
}

function routeLines({ from, to, routes }: ModeFacts): ModeDifference[] {
  const lines: ModeDifference[] = []
  const taken = routes.filter((route) => route.to !== null)
  const lost = routes.filter((route) => route.from !== null && route.to === null)
  if (taken.length === 0) {
    lines.push({
      key: 'no_account',
      level: 'blocks',
      title: `No ${to} merchant account`,
      text: `Without a ${to} merchant account, the site cannot take payments. Ask the operator to add one with “tollgate accounts put”.`,
    })
  } else if (lost.length > 0) {
    const names = lost.map(({ currency }) => currency).join(', ')
    lines.push({
      key: 'currencies_lost',
      level: 'blocks',
      title: `No ${to} merchant account supports ${names}`,
      text: `The site takes ${names} today. Ask the operator to add a ${to} account for it with “tollgate accounts put”.`,
    })
  }
  const down = new Map(
    taken.flatMap(({ to: route }) =>
      route === null || route.linkUp ? [] : [[route.link ?? 'the bundled bank', route]],
    ),
  )
  for (const [link, { accountId }] of down) {
    lines.push({
      key: 'link_down',
      level: link === 'the bundled bank' ? 'care' : 'blocks',
      title: `The link of account ${accountId} is down`,
      text: `No gateway process is connected to ${link === 'the bundled bank' ? link : `the processor link “${link}”`}. Every payment would fail with 530. The operator finds the cause with “tollgate links”.`,
    })
  }
  for (const { currency, from: before, to: after } of taken) {
    lines.push({
      key: 'route',
      level: 'info',
      title: `${currency} is taken by ${routeText(after)}`,
      text:
        before === null
          ? `The site does not take ${currency} in ${from} mode.`
          : `Currently by ${routeText(before)}.`,
    })
  }
  return lines
}

function routeText(route: AccountRoute | null): string {
  if (route === null) return 'no account'
  return `account ${route.accountId} (${route.processorName}, ${route.link === null ? 'the bundled bank' : `link ${route.link}`})`
}

function liveLines(facts: ModeFacts): ModeDifference[] {
  const lines: ModeDifference[] = [
    {
      key: 'real_money',
      level: 'care',
      title: 'Payments are real',
      text:
        'Cards are charged. Real banks decline test cards, and test amounts ' +
        'are ordinary amounts: 5.30 is charged as 5.30.',
    },
    {
      key: 'objects_of_test_mode',
      level: 'care',
      title: 'Test data does not exist for live requests',
      text:
        'Live requests treat orders, customers, saved cards, login names, memberships, order references and card tokens of test mode as ' +
        'unknown. Do not send CUST_ID or PMT_ID values of test customers. The data is available again when the site returns to test mode.',
    },
  ]
  if (facts.hasOwnClock) {
    lines.push({
      key: 'own_clock',
      level: 'care',
      title: "The site's own clock is removed",
      text: 'The site uses real time from then on. Test orders and memberships keep their dates.',
    })
  }
  const { apiUsers } = facts
  if (facts.publishedTokenKey) {
    lines.push({
      key: 'published_token_key',
      level: 'blocks',
      title: 'The token key is the published sandbox key',
      text: 'This key is public. Create a new key on the Card fields tab, put it into your servers, and retire the old key.',
    })
  }
  if (apiUsers.published.length > 0) {
    lines.push({
      key: 'published_users',
      level: 'blocks',
      title: `API user with a published password: ${apiUsers.published.join(', ')}`,
      text: 'The sandbox password is public. Create a new password and retire the public one, or disable the API user.',
    })
  }
  if (facts.publishedPortalUsers.length > 0) {
    lines.push({
      key: 'published_portal_users',
      level: 'blocks',
      title: `Portal user with a published password: ${facts.publishedPortalUsers.join(', ')}`,
      text: 'The sandbox password is public, so anyone could refund and charge cards here. The user must change it under My account, or an owner must disable the user.',
    })
  }
  if (facts.tokenOrigins.includes('*')) {
    lines.push({
      key: 'any_origin',
      level: 'care',
      title: "Pages of any origin can read the token service's responses",
      text: 'Replace * with your own origins on the Card fields tab, so that other pages cannot create tokens for this site.',
    })
  }
  if (apiUsers.enabled === 0) {
    lines.push({
      key: 'no_user',
      level: 'care',
      title: 'No API user is enabled',
      text: 'No program can send a request. Create or enable an API user.',
    })
  }
  if (apiUsers.fromEverywhere.length > 0) {
    lines.push({
      key: 'users_from_everywhere',
      level: 'care',
      title: `API users without a network limit: ${apiUsers.fromEverywhere.join(', ')}`,
      text: 'A stolen password works from any network. Enter the networks of your servers on the API users page.',
    })
  }
  if (apiUsers.idleDays > 0) {
    lines.push({
      key: 'idle_days',
      level: 'info',
      title: `API users are refused after ${apiUsers.idleDays} idle days`,
      text: 'An API user that is idle for so long is refused (102) until it is enabled again.',
    })
  }
  lines.push(...checkLines(facts))
  return lines
}

function checkLines(facts: ModeFacts): ModeDifference[] {
  const lines: ModeDifference[] = []
  const isOff = (mode: CheckMode): boolean => mode === 'F' || mode === 'I'
  if (isOff(facts.avsMode) && isOff(facts.cvvMode)) {
    lines.push({
      key: 'checks_off',
      level: 'care',
      title: 'AVS and CVV results decide nothing',
      text: 'Approvals are kept with any AVS and CVV result (modes I and F). A request can still ask for a check.',
    })
  }
  if (!facts.cvvRequired) {
    lines.push({
      key: 'cvv_not_required',
      level: 'info',
      title: 'Payments without a security code are accepted',
      text: 'If a request has no PMT_KEY, the bank is still asked.',
    })
  }
  if (facts.cardTesting !== 'enforce') {
    lines.push({
      key: 'card_testing',
      level: 'care',
      title: facts.cardTesting === 'off' ? 'No velocity rules' : 'Velocity rules are in watch mode',
      text: 'Card testers are not stopped, and each attempt costs a fee. Set rules on the Card testing tab.',
    })
  }
  return lines
}

function testLines(facts: ModeFacts): ModeDifference[] {
  return [
    {
      key: 'no_real_money',
      level: 'care',
      title: 'No more real payments',
      text: 'Payments are approved by the test bank, and no card is charged. Stop selling, or use another site.',
    },
    {
      key: 'objects_of_live_mode',
      level: 'care',
      title: 'Live data does not exist for test requests',
      text:
        'Test requests treat orders, customers, saved cards and memberships of live mode as unknown. ' +
        'Queued captures, refunds and reversals still go to their bank.',
    },
    ...(facts.cardTesting === 'enforce'
      ? [
          {
            key: 'card_testing',
            level: 'info',
            title: 'Velocity rules stay active',
            text: 'Many test payments with one card or amount are refused with 215 or 601.',
          } as const,
        ]
      : []),
  ]
}

function commonLines(facts: ModeFacts): ModeDifference[] {
  const lines: ModeDifference[] = []
  const routes = facts.routes.flatMap(({ to }) => (to === null ? [] : [to]))
  const without = [
    ...new Set(routes.filter(({ threeDs }) => !threeDs).map(({ accountId }) => accountId)),
  ]
  if (without.length > 0) {
    const outcome =
      facts.threeDsUnavailable === 'decline'
        ? 'declined'
        : 'sent to the bank without authentication'
    lines.push({
      key: 'no_three_ds',
      level: 'care',
      title: `No 3-D Secure with account ${without.join(', ')}`,
      text: `The account is not registered with the directory servers. Payments that request 3-D Secure are ${outcome}.`,
    })
  }
  if (facts.to === 'live' && facts.returnHosts.length === 0 && without.length < routes.length) {
    lines.push({
      key: 'any_return_host',
      level: 'info',
      title: 'P3DS_RETURN_URL accepts any host',
      text: 'In live mode it must be https. Enter your hosts on the 3-D Secure tab.',
    })
  }
  const { kind, active, defaultIsActive } = facts.catalogue
  lines.push(
    kind === 'open'
      ? {
          key: 'catalogue',
          level: 'info',
          title: 'The catalogue is open',
          text: 'Payments can use any product id. The catalogue is the same in both modes.',
        }
      : {
          key: 'catalogue',
          level: active === 0 || !defaultIsActive ? 'care' : 'info',
          title: `The catalogue is strict, with ${count(active, 'active product')}`,
          text: defaultIsActive
            ? 'Payments can use only these products. The catalogue is the same in both modes.'
            : 'The default product is not active, so lines without a product are refused. The catalogue is the same in both modes.',
        },
  )
  return lines
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
