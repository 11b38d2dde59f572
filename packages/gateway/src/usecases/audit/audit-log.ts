/** Every act that the audit log knows, and what it means; the documentation lists the same. */
export const AUDIT_ACTS = {
  'audit.read': 'the audit log was checked, exported or shown',
  'gateway.started': 'a gateway process began to serve',
  'gateway.stopped':
    'a gateway process ended as it was told to; without this it was killed or crashed',
  'schema.migrated': "the database's schema was changed by a new version of the program",
  'login.verified': 'an API user was let in after its password was verified the slow way',
  'login.failed': 'a user name and password did not match',
  'login.locked': 'a user was locked from an address after too many failures',
  'user.made': 'an API user was made',
  'user.password_made': 'a password was made for an API user',
  'user.password_retired': 'a password of an API user was retired',
  'user.allowed_from': 'the networks that an API user may come from were changed',
  'user.disabled': 'an API user was disabled',
  'user.enabled': 'an API user was enabled, or taken for used after idle days',
  'person.signed_in':
    'somebody signed in to the portal; what they proved it with is among the details',
  'person.sign_in_failed':
    'an e-mail address and a password, or a code, did not match in the portal',
  'person.locked': 'a person was locked out of the portal after too many failures',
  'person.signed_out': 'somebody signed out of the portal',
  'person.session_ended': "a person's sessions in the portal were ended by hand",
  'person.invited': 'a person was invited to the portal',
  'person.invitation_taken': 'a person set their password by an invitation or a reset',
  'person.reset':
    'a link was made by which a person sets a new password; the old one and the second factor are gone',
  'person.role_changed': "a person's role was changed",
  'person.refund_limit_changed': 'what a person may return of one order was changed',
  'person.name_changed': 'a person changed their name',
  'person.disabled': 'a person was disabled, and signed out',
  'person.enabled': 'a person was enabled, or taken for active after idle days',
  'person.password_changed': 'a person changed their password',
  'person.second_factor_set': 'a person set up their second factor',
  'person.second_factor_removed': 'a person took their second factor away',
  'person.recovery_codes_made': 'a person got new recovery codes',
  'person.recovery_code_used': 'a recovery code stood in for the second factor, and is used up',
  'link.put': 'a processor link was made or changed',
  'account.put': 'a merchant account was made or changed',
  'card_testing.put': "a site's rules against card testing were changed",
  'card_testing.mode_set': "a site's defence against card testing was set to off, watch or enforce",
  'site.mode_set': 'a site was moved between test and live',
  'site.go_live_asked': 'somebody asked for a site to be moved between test and live',
  'site.go_live_approved': 'a second person approved it',
  'site.go_live_refused': 'a second person refused it',
  'site.go_live_withdrawn': 'who had asked for it took it back',
  'site.settings_set': "a site's name, defaults, checks or days of retries were changed",
  'product.added': "a product was added to a site's catalogue",
  'product.activated': 'a product was switched on again',
  'product.deactivated': 'a product was switched off',
  'site.catalogue_set': "a site's catalogue was made open or strict",
  'site.token_key_made': 'a site got a new token key',
  'site.token_key_retired': "the older of a site's two token keys was taken away",
  'site.token_origins_set': "the origins were set whose pages may read the token service's answers",
  'site.three_ds_set': "a site's switches of 3-D Secure were changed",
  'site.clock_changed': "a test site's clock was moved, set to another speed or taken away",
  'batch.closed': 'a batch was closed, and the next one opened',
  'batch.cutoff_set': "the time of day was set at which a merchant account's batch is closed",
  'recon.run_asked': 'a comparison of the books was asked for, or set to be made daily or not',
  'recon.difference_changed':
    'a difference between the books was taken on, handed over, resolved or opened again',
  'order.captured': 'a person captured an order in the portal, or was refused',
  'order.voided': 'a person voided an order or captures of it in the portal, or was refused',
  'order.credited': 'a person refunded an order in the portal, or was refused',
  'order.noted': 'a person wrote a note about an order',
  'card.charged': 'a person charged, authorized or checked a card in the portal, or was refused',
  'customer.changed': 'what is kept of a customer was changed',
  'card.removed': 'a saved card was taken away and its number erased',
  'membership.changed': 'a membership got another product or another card',
  'membership.cancelled': 'a membership was cancelled, at once or where its paid period ends',
  'membership.retried': 'a renewal that had failed was brought forward',
  'order_view.saved': 'a person of the portal kept a view of a list of orders',
  'order_view.removed': 'a person of the portal took a view of a list of orders away',
  'site.reset': "a test site's open business was ended and its references made free again",
  'bank.fault_added': 'the test bank was told to do something wrong on purpose',
  'bank.fault_removed': 'the test bank was told to stop doing something wrong on purpose',
  'card.revealed': 'a stored card number was decrypted, or was to be and could not',
  'key.made': 'a first data key was made',
  'key.rotated': 'a new data key was made and the one before retired',
  'key.rewrapped': 'all data keys were wrapped anew under the key-encrypting key',
  'key.destroyed': 'a data key was destroyed, or was to be and was not',
  'key.reencrypted': 'stored numbers or secrets were encrypted again under the active data key',
  'vault.exported': 'the stored cards were written to an encrypted file',
  'vault.imported': 'cards were taken in from an encrypted file',
} as const

export type AuditAct = keyof typeof AUDIT_ACTS

/** Who does something, as the audit log is to tell it. */
export type AuditAuthor = Pick<AuditEntry, 'actor' | 'address'>

/** One thing that somebody did, tried or was refused. No secret and no card number in any part. */
export interface AuditEntry {
  /**
   * Who: `api:<user name>`, `person:<e-mail>`, `operator:<system user>@<host>`,
   * `gateway:<host>:<process>`.
   */
  readonly actor: string
  readonly act: AuditAct
  /**
   * To what, as kind and id: `data key 3`, `payment method 7001`; empty for nothing in particular.
   */
  readonly object?: string
  readonly merchantId?: bigint
  /** Where the request came from; empty for what this machine did by itself. */
  readonly address?: string
  readonly result: 'done' | 'refused' | 'failed'
  /** What else there is to know; values before and after a change. */
  readonly details?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>
}

export interface AuditLog {
  /** Durable when it resolves: what must be on record before it happens waits for this. */
  append(entry: AuditEntry): Promise<void>
}
