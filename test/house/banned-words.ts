import { withoutComments } from './source-text.ts'

interface Ban {
  readonly what: string
  readonly pattern: RegExp
  /** Comments are searched as well. */
  readonly inComments?: boolean
  /** Files that may hold it, each with the reason. A test fails for one that no longer does. */
  readonly allowed: Readonly<Record<string, string>>
}

const BOUNDARY = 'reads the environment once, when the program starts'

export const BANS: readonly Ban[] = [
  {
    what: 'the time of the machine',
    pattern: /\bnew Date\(\s*\)|\bDate\.now\b/,
    allowed: {
      'packages/gateway/src/base/clock.ts': 'the clock that everybody is handed',
      'packages/gateway/src/prepare.ts': 'the start of the self-made certificate',
      'packages/bank/src/run-bank.ts': "the bank's clock, handed in from here",
      'packages/client/src/tokens.ts': 'the default of a time that may be handed in',
      'packages/client/src/verify-event.ts': 'the default of a time that may be handed in',
      'packages/iso8583/src/link-client.ts': 'the default of a clock that may be handed in',
      'packages/tollgate/src/log.ts': 'the time at the head of a log line',
      'packages/tollgate/src/backup-command.ts': 'the age of backups to prune',
      'packages/tollgate/src/backup/base-backup.ts': 'the start and the end of a copy',
      'packages/tollgate/src/backup/supervised-backup.ts': 'the age of the archived log',
      'packages/tollgate/src/pushed-metrics.ts': 'the time at which metrics were read',
      'packages/tollgate/src/doctor/examine.ts': 'the age of the latest backup',
      'packages/tollgate/src/evidence-command.ts': 'the date of a bundle',
    },
  },
  {
    what: 'chance without a seed',
    pattern: /\bMath\.random\b/,
    allowed: {
      'packages/iso8583/src/link-client.ts': 'the default jitter between two attempts to connect',
    },
  },
  {
    what: 'the environment',
    pattern: /\bprocess\.env\b/,
    allowed: {
      'packages/gateway/src/main.ts': BOUNDARY,
      'packages/gateway/src/prepare.ts': BOUNDARY,
      'packages/gateway/src/vault-main.ts': BOUNDARY,
      'packages/tollgate/src/vault-process.ts':
        'names of settings that a worker would inherit, to empty them',
      'packages/bank/src/main.ts': BOUNDARY,
      'packages/tollgate/src/cli.ts': BOUNDARY,
      'packages/tollgate/src/postgres/binaries.ts': "PATH, to find the system's programs",
    },
  },
  {
    what: 'a revealed secret',
    pattern: /\breveal\(/,
    allowed: {
      'packages/gateway/src/adapters/traces/traced-ports.ts':
        'the call to the vault, which it passes on to time it; it reads nothing',
      'packages/gateway/src/base/secret.ts': 'where it is defined',
      'packages/gateway/src/domain/payments/card-number.ts': 'where it is defined for card numbers',
      'packages/gateway/src/config/mask-database-url.ts': 'the database address, to mask it',
      'packages/gateway/src/config/backup-settings.ts': 'two keys, to compare them',
      'packages/tollgate/src/backup/open-store.ts': 'the key of backups, to encrypt them',
      'packages/tollgate/src/backup/s3-store.ts': 'the secret of the bucket, to sign requests',
      'packages/tollgate/src/bundled-bank.ts': 'the secret of the link, for the bank beside it',
      'packages/gateway/src/usecases/payments/idempotency-key.ts': 'key and content, to digest',
      'packages/gateway/src/adapters/bank-control/link-secret.ts':
        "the bundled bank's secret, to sign on",
      'packages/gateway/src/wiring/worker.ts': 'the database address, to connect',
      'packages/gateway/src/wiring/vault-process.ts': 'the database address, to connect',
      'packages/gateway/src/prepare.ts': 'the database address, to connect',
      'packages/gateway/src/wiring/operator.ts': 'the database address, for the command line',
      'packages/gateway/src/wiring/operator-keys.ts':
        'the database address, and the key of an export',
      'packages/gateway/src/adapters/vault/key-encrypting-keys.ts':
        'the vault key, to wrap data keys',
      'packages/gateway/src/adapters/vault/secret-seal.ts': 'secrets, to seal them',
      'packages/gateway/src/adapters/vault/process/remote-vault.ts':
        'numbers, codes and tokens, for the vault process',
      'packages/gateway/src/adapters/vault/process/vault-client.ts':
        'the secret of the vault process, to prove it',
      'packages/gateway/src/adapters/vault/process/vault-server.ts':
        'the secret of the vault process, to compare it',
      'packages/gateway/src/adapters/vault/process/vault-work.ts':
        'numbers and codes, for the gateway process that asked',
      'packages/gateway/src/adapters/vault/security-code-seal.ts':
        'codes to encrypt, and tokens to derive their keys from',
      'packages/gateway/src/usecases/card-tokens/use-card-token.ts':
        'tokens, to find them by their digest',
      'packages/gateway/src/usecases/three-ds/leading-digits.ts':
        'the first digits of a number, to tell which issuer it may be',
      'packages/gateway/src/adapters/three-ds-tokens/signing-keys.ts':
        'the key that signs 3-D Secure tokens',
      'packages/gateway/src/http/tokens/signature.ts': "a site's token key, to sign with",
      'packages/gateway/src/http/sandbox/sites-service.ts':
        "a new site's token key, to hand it over",
      'packages/gateway/src/http/tokens/token-answer.ts': 'a new token, to hand it over',
      'packages/gateway/src/adapters/three-ds-server/authentication-request.ts':
        'the card number, for the AReq',
      'packages/gateway/src/adapters/three-ds-server/three-ds-server.ts':
        'card numbers, to look their range up, and the key of the address for results',
      'packages/gateway/src/adapters/three-ds-server/directory-client.ts':
        "a Directory Server's client key, for TLS",
      'packages/gateway/src/adapters/processor-iso8583/processor-links.ts':
        "a link's client key, for TLS",
      'packages/gateway/src/adapters/vault/card-vault.ts': 'numbers, to encrypt and find again',
      'packages/gateway/src/adapters/credentials/password-hash.ts': 'passwords, to hash',
      'packages/gateway/src/adapters/credentials/password-memory.ts':
        'passwords, to compare digests',
      'packages/gateway/src/adapters/credentials/password-rules.ts':
        'a chosen password, to judge it',
      'packages/gateway/src/wiring/demo-merchants.ts': 'a token key, to tell the published one',
      'packages/gateway/src/portal/settings/routes/site-routes.ts':
        'a new token key, to show it once',
      'packages/gateway/src/portal/settings/routes/api-user-routes.ts':
        'a new password, to show it once',
      'packages/gateway/src/portal/webhooks/routes/endpoint-routes.ts':
        'a new secret of webhooks, to show it once',
      'packages/gateway/src/http/api/webhook-service.ts':
        'a new secret of webhooks, to answer it once',
      'packages/gateway/src/adapters/credentials/second-factor.ts':
        'the secret of a second factor, to judge codes',
      'packages/gateway/src/portal/users/routes/account-routes.ts':
        'a new second factor, to show it once',
      'packages/gateway/src/portal/console/routes/access-routes.ts':
        'a new second factor of an operator, to show it once',
      'packages/tollgate/src/users-command.ts': 'a generated password, to show it once',
      'packages/gateway/src/adapters/processor-iso8583/messages.ts': 'card data, for the bank',
      'packages/gateway/src/usecases/three-ds/authenticate-cardholder.ts': 'a CAVV, for its length',
      'packages/gateway/src/usecases/three-ds/receive-result.ts': 'a CAVV, for its length',
      'packages/gateway/src/adapters/postgres/payments/due-advice.ts':
        'the number of a refund, for the bank',
      'packages/gateway/src/usecases/vault/card-vault.ts': "where the vault's way out is defined",
      'packages/gateway/src/usecases/payments/find-card.ts':
        'the number of a saved card, for the bank',
      'packages/tollgate/src/site-token-commands.ts': 'a new token key, to print it once',
      'packages/tollgate/src/webhooks-command.ts': 'a new secret of webhooks, to print it once',
      'packages/gateway/src/portal/receiver/routes/receiver-routes.ts':
        'a new secret of a receiver, to show it once',
      'packages/gateway/src/http/sandbox/receiver-service.ts':
        'a new secret of a receiver, to show it once',
      'packages/gateway/src/adapters/outwards/webhook-signature.ts':
        'the secret of an endpoint, to sign with it',
      'packages/gateway/src/adapters/audit-push/http-receiver.ts':
        'the secret of the receiver of the audit log, to sign on',
      'packages/gateway/src/adapters/mail/smtp-post.ts':
        'the password of the mail server, to log in',
      'packages/gateway/src/wiring/operator-ids.ts': 'the database address, to connect',
      'packages/tollgate/src/start.ts': 'the database address, to look whether it answers',
      'packages/tollgate/src/running-database.ts': 'the database address, to connect',
    },
  },
  {
    // Texts that hold a card number are found by one rule set, base/card-number-text.ts.
    what: 'a detector of card numbers of its own',
    pattern: /(?:\[0-9\]|\\d|\\p\{Nd\}).{0,40}\)\{1[1-3],\}|(?:\[0-9\]|\\d)\{1[1-3],/,
    allowed: {
      'packages/kernel/src/card-number-text.ts': 'the one detector',
      'packages/gateway/src/base/card-masking.ts': 'the shape of a number that is masked',
      'packages/gateway/src/http/payment/pasted-numbers.ts':
        'the narrower separators of free texts that are stored (R12)',
      'packages/gateway/src/adapters/processor-iso8583/card-update.ts':
        "the shape of a bank's new number",
      'packages/gateway/src/adapters/vault/vault-record.ts': 'the shape of an imported number',
      'packages/gateway/src/domain/banks/test-bank.ts': 'test numbers in groups of four, on a page',
      'packages/iso8583/src/safe-text.ts': 'the shape of a number that is masked',
      'packages/bank/src/three-ds/message-journal.ts':
        'the bank is another party and shares no code with the gateway',
    },
  },
  {
    // A stalled transaction without limits blocks every other that waits for its locks.
    what: 'a hand-written transaction',
    pattern: /\.query\(\s*['"`]begin\b/,
    allowed: {
      'packages/gateway/src/adapters/postgres/audit/audit-reader.ts':
        'a snapshot that is read with a cursor',
      'packages/gateway/src/adapters/postgres/books/reconcile-store.ts':
        'a snapshot that is read with a cursor',
      'packages/gateway/src/adapters/vault/kept-ids.ts':
        'takes from a sequence, on a connection beside the import',
      'packages/gateway/src/adapters/vault/vault-import.ts':
        'reads a file of any size in one transaction; its entry of the audit log limits it',
    },
  },
  {
    // The one way from a ciphertext to what is in it.
    what: 'an opened ciphertext',
    pattern: /\bopenSealed\(/,
    allowed: {
      'packages/gateway/src/adapters/vault/sealed-format.ts': 'where it is defined',
      'packages/gateway/src/adapters/vault/card-vault.ts': 'reveal: one number, audited first',
      'packages/gateway/src/adapters/vault/vault-export.ts':
        'numbers into an encrypted file, audited first',
      'packages/gateway/src/adapters/vault/place-seal.ts':
        "links' client keys, sites' token keys, keys of 3-D Secure, second factors, evidence; no card",
      'packages/gateway/src/adapters/vault/reencryption.ts':
        'from one data key to the next; it leaves nothing',
      'packages/gateway/src/adapters/vault/security-code-seal.ts':
        'the code that came with a card token',
    },
  },
  {
    // Every use of the vault's way out; docs/operators/keys.md lists the reasons.
    what: 'a revealed card number',
    pattern: /\bvault\s*\.\s*reveal\(/,
    allowed: {
      'packages/gateway/src/usecases/payments/find-card.ts':
        'the number of a saved card, for the bank',
      'packages/gateway/src/usecases/card-tokens/use-card-token.ts':
        'the number of a token, for its payment',
      'packages/gateway/src/usecases/three-ds/leading-digits.ts':
        'the first digits of a saved card or a token; the rest goes nowhere',
      'packages/gateway/src/adapters/traces/traced-ports.ts':
        'passes the call of find-card.ts on, to time it; it reads nothing',
      'packages/gateway/src/adapters/postgres/payments/due-advice.ts':
        'the number of a refund, for the bank',
      'packages/gateway/src/adapters/vault/process/vault-work.ts':
        'the vault process does what a gateway process asks for with a reason',
    },
  },
  {
    what: 'a promise instead of work',
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/,
    inComments: true,
    allowed: {},
  },
]

/** Which bans a file breaks, a sentence each. */
export function bansBrokenBy(path: string, text: string): string[] {
  return BANS.filter((ban) => !(path in ban.allowed) && isIn(ban, text)).map(
    (ban) => `${path} has ${ban.what}, which belongs elsewhere.`,
  )
}

/** Exceptions that are not needed any more. `read` gives a file's text, null when it is gone. */
export function idleExceptions(read: (path: string) => string | null): string[] {
  return BANS.flatMap((ban) =>
    Object.keys(ban.allowed)
      .filter((path) => {
        const text = read(path)
        return text === null || !isIn(ban, text)
      })
      .map((path) => `${path} may have ${ban.what}, but has not.`),
  )
}

function isIn(ban: Ban, text: string): boolean {
  return ban.pattern.test(ban.inComments === true ? text : withoutComments(text))
}

/** Names that two tests of one file share. */
export function repeatedTestNames(text: string): string[] {
  const seen = new Set<string>()
  const repeated: string[] = []
  for (const match of text.matchAll(/^[ \t]*(?:test|it)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm)) {
    const name = match[2] ?? ''
    if (seen.has(name)) repeated.push(name)
    seen.add(name)
  }
  return repeated
}
