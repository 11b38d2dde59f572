/** Every action that the audit log knows, with its meaning; the documentation lists the same. */
export const AUDIT_OPERATIONS = {
  'audit.read': 'the audit log was verified, exported or shown',
  'evidence.written':
    'a file with evidence for an assessor was written; the details have its SHA-256',
  'gateway.started': 'a gateway process started to serve',
  'gateway.stopped':
    'a gateway process stopped on request; without this entry it was killed or it crashed',
  'schema.migrated': 'a new version of the program migrated the database schema',
  'schema.granted': 'the rights of a serving role were granted on all tables, views and sequences',
  'database.accepted':
    'an operator let a node use a database server of another cluster or of a lower timeline',
  'ids.advanced':
    'the sequences of ids were moved beyond ids that were assigned after a restored backup',
  'login.verified': 'the password of an API user was verified in full, not from the cache',
  'login.failed': 'the user name and password of a request did not match',
  'login.locked': 'an API user was locked from an address after too many failures',
  'user.made': 'an API user was created',
  'user.password_made': 'a password was created for an API user',
  'user.password_retired': 'a password of an API user was retired',
  'user.allowed_from': 'the allowed networks of an API user were changed',
  'user.disabled': 'an API user was disabled',
  'user.enabled': 'an API user was enabled, or made active again after idle days',
  'user.api_set': 'the right of an API user to read events was given or taken',
  'user.rate_set': 'an API user got a rate limit of its own, or lost it',
  'portal_user.signed_in': 'a portal user signed in; the details list the proofs',
  'portal_user.sign_in_failed':
    'a sign-in to the portal failed: the e-mail address and password, or the code, did not match',
  'portal_user.locked': 'a portal user was locked after too many failures',
  'portal_user.signed_out': 'a portal user signed out',
  'portal_user.session_ended': 'the portal sessions of a user were ended by hand',
  'portal_user.invited': 'a portal user was invited',
  'portal_user.invitation_taken':
    'a portal user set a password through an invitation or a reset link',
  'portal_user.reset':
    'a reset link was created for a portal user; the old password and second factor were deleted',
  'portal_user.role_changed': 'the role of a portal user was changed',
  'portal_user.refund_limit_changed': 'the refund limit of a portal user was changed',
  'portal_user.change_requested':
    'a portal user requested a change of a user with equal rank, or the end of such approvals',
  'portal_user.change_approved': 'a second portal user approved the change',
  'portal_user.change_refused': 'a second portal user rejected the change',
  'portal_user.change_withdrawn': 'the requesting portal user withdrew the change',
  'portal_user.name_changed': 'a portal user changed their name',
  'portal_user.notices_set': 'the notices that a portal user gets by e-mail were changed',
  'portal_user.disabled': 'a portal user was disabled and signed out',
  'portal_user.enabled': 'a portal user was enabled, or made active again after idle days',
  'portal_user.password_changed': 'a portal user changed their password',
  'portal_user.second_factor_set': 'a portal user set up a second factor',
  'portal_user.second_factor_removed': 'a portal user removed the second factor',
  'portal_user.recovery_codes_made': 'a portal user created new recovery codes',
  'portal_user.recovery_code_used': 'a recovery code replaced the second factor and is used up',
  'operator.signed_in': 'an operator signed in to the console; the details list the proofs',
  'operator.sign_in_failed':
    'a sign-in to the console failed: the e-mail address and password, or the code, did not match',
  'operator.locked': 'an operator was locked after too many failures',
  'operator.signed_out': 'an operator signed out of the console',
  'sandbox_site.created': 'an API user made a throwaway site in the sandbox',
  'sandbox_site.ended': 'a throwaway site was ended for ever',
  'sandbox_site.removed': 'the data of an ended throwaway site were removed',
  'operator.invited': 'an operator was invited to the console',
  'operator.invitation_taken': 'an operator set a password through an invitation or a reset link',
  'operator.reset':
    'a reset link was created for an operator; the old password and second factor were deleted',
  'operator.role_changed': 'the role of an operator was changed',
  'operator.disabled': 'an operator was disabled and signed out',
  'operator.enabled': 'an operator was enabled, or made active again after idle days',
  'operator.password_changed': 'an operator changed their password',
  'operator.second_factor_set': 'an operator set up a second factor',
  'operator.recovery_code_used':
    'a recovery code replaced the second factor of an operator and is used up',
  'operator.change_requested': 'an operator requested an operation that needs a second operator',
  'operator.change_approved': 'a second operator approved the operation',
  'operator.change_refused': 'a second operator rejected the operation',
  'operator.change_withdrawn': 'the requesting operator withdrew the operation',
  'support.visit_begun': 'an operator began a read-only visit to the portal of a merchant',
  'support.visit_ended':
    'the visit ended: by an operator, by the merchant, or when its time or session was over',
  'link.put': 'a processor link was created or changed',
  'account.put': 'a merchant account was created or changed',
  'account.demands_set': 'the demands of a merchant account were changed in the console',
  'account.details_set':
    'the category code, the place or the currencies of an account were changed in the console',
  'account.three_ds_set':
    'the registration of an account for 3-D Secure was changed in the console',
  'account.unreferenced_credits_set':
    'an account was set in the console to take unreferenced credits, or not to',
  'account.limits_set': 'the limits of a merchant account were changed',
  'fees.plan_put': 'a plan of fees of a merchant was stored or replaced',
  'card_testing.put': 'the velocity rules of a site were changed',
  'card_testing.mode_set': 'the velocity rules of a site were set to off, watch or enforce',
  'site.mode_set': 'a site was moved between test and live mode',
  'site.go_live_requested': 'a portal user requested to move a site between test and live mode',
  'site.go_live_approved': 'a second portal user approved the request',
  'site.go_live_refused': 'a second portal user rejected the request',
  'site.go_live_withdrawn': 'the requesting portal user withdrew the request',
  'merchant.created': 'a merchant was created',
  'merchant.renamed': 'the name of a merchant was changed',
  'merchant.disabled':
    'a merchant was disabled: payments, tokens, renewals and the portal stopped, with a reason',
  'merchant.enabled': 'a disabled merchant was enabled again',
  'site.created': 'a site was created, in test mode',
  'merchant.peer_approval_set':
    'approvals by a second user for changes of users with equal rank were switched on or off',
  'merchant.time_zone_set': 'the time zone of a merchant was changed',
  'site.settings_set': 'the name, defaults, checks or retry days of a site were changed',
  'product.added': 'a product was added to the catalogue of a site',
  'product.activated': 'a product was activated again',
  'product.deactivated': 'a product was deactivated',
  'site.catalogue_set': 'the catalogue of a site was made open or strict',
  'site.token_key_made': 'a token key was created for a site',
  'site.token_key_retired': 'the older of the two token keys of a site was retired',
  'site.token_origins_set':
    'the origins whose pages may read answers of the token service were set',
  'site.webhook_added': 'an endpoint of webhooks was added to a site',
  'site.webhook_changed': 'the address or the types of an endpoint were changed',
  'site.webhook_removed': 'an endpoint of a site was removed, with its deliveries',
  'site.webhook_paused': 'an endpoint of a site was paused',
  'site.webhook_resumed': 'an endpoint of a site was resumed',
  'site.webhook_secret_made': 'a secret was created for an endpoint; the one before it signs too',
  'site.webhook_secret_removed': 'the older of the two secrets of an endpoint was removed',
  'site.webhook_sent_again': 'deliveries of an endpoint were queued again',
  'site.webhook_faults_set': 'the faults of an endpoint of a test site were set',
  'site.webhook_receiver_set': 'the next answers of a receiver of the sandbox were set',
  'site.mail_set': 'mails to customers of a site were switched on or off, or their sender changed',
  'site.mail_template_set': 'the texts of a kind of mail were changed',
  'site.mail_tested': 'a mail with example values was queued, to try its texts',
  'site.mail_sent_again': 'a mail to a customer was queued again',
  'site.three_ds_set': 'the 3-D Secure settings of a site were changed',
  'site.clock_changed': 'the clock of a test site was moved, set to another speed or removed',
  'batch.agreed': 'the bank has the same totals of a closed batch',
  'batch.closed': 'a batch was closed and the next one opened',
  'batch.counted': 'the content of a closed batch was fixed, with its sums',
  'batch.cutoff_set': 'the daily cut-off of a merchant account was set',
  'batch.differs': 'the bank has other totals of a closed batch; its differing rows were stored',
  'settlement.source_put':
    'the sender, receiver and account of the settlement files of a merchant account were set',
  'settlement.imported': 'a settlement file was booked, with all its lines',
  'settlement.refused': 'a settlement file was refused; nothing of it was booked',
  'settlement.difference_changed': 'a settlement difference was assigned, noted or ended',
  'dispute.notices_recorded': 'notices of an acquirer about disputes were recorded',
  'dispute.notices_refused': 'notices about disputes were refused; nothing of them was recorded',
  'dispute.evidence_added': 'a file of evidence was stored for a dispute, encrypted',
  'dispute.evidence_removed': 'a file of evidence was deleted before an answer took it along',
  'dispute.evidence_read': 'a file of evidence was decrypted and read',
  'dispute.answered': 'a dispute was accepted or contested',
  'dispute.answers_written': 'an operator wrote answers to disputes for the acquirer',
  'deposits.account_put': 'a bank account of a merchant was registered or changed',
  'deposits.payer_put': 'the look of the deposits of a merchant account was set',
  'deposits.imported': 'a bank statement was imported, with all its entries',
  'deposits.refused': 'bank statements were refused; nothing of their files was booked',
  'deposits.matched': 'an operator matched an entry of a bank statement with a payout',
  'recon.run_asked': 'a reconciliation was requested, or its daily run was switched on or off',
  'recon.difference_changed':
    'a reconciliation difference was assigned, handed over, resolved or reopened',
  'order.captured': 'a portal user captured an order, or was refused',
  'order.voided': 'a portal user voided an order or captures of it, or was refused',
  'order.refunded': 'a portal user refunded an order, or was refused',
  'order.noted': 'a portal user wrote a note about an order',
  'card.charged': 'a portal user charged, authorized or verified a card, or was refused',
  'customer.changed': 'the stored data of a customer were changed',
  'customer.erased': 'the personal data and card numbers of a customer were erased',
  'card.removed': 'a saved card was removed and its number deleted',
  'membership.changed': 'the product or the card of a membership was changed',
  'membership.cancelled': 'a membership was cancelled, at once or at the end of its paid period',
  'membership.retried': 'the retry of a failed renewal was brought forward',
  'order_view.saved': 'a portal user saved a view of the order list',
  'order_view.removed': 'a portal user removed a view of the order list',
  'site.reset':
    'the open transactions of a test site were ended and its references made available again',
  'sandbox.operated': 'an operation was done at a test site; the details name it',
  'bank.fault_added': 'a fault was injected into the test bank',
  'bank.fault_removed': 'a fault was removed from the test bank',
  'card.revealed': 'a stored card number was decrypted, or its decryption failed',
  'key.made': 'the first data key was created',
  'key.rotated': 'a new data key was created and the previous one retired',
  'key.rewrapped': 'all data keys were wrapped again under the key-encrypting key',
  'key.destroyed': 'a data key was destroyed, or its destruction was refused',
  'key.reencrypted': 'stored numbers or secrets were encrypted again under the active data key',
  'vault.export_begun':
    'an export of all cards was allowed; the details name key, operators or emergency',
  'vault.exported': 'the stored cards were written to an encrypted file',
  'vault.imported': 'cards were imported from an encrypted file',
  'retention.erased': 'data of one kind whose days of retention were over were erased',
} as const

export type AuditOperation = keyof typeof AUDIT_OPERATIONS

/** The actor, as the audit log names it. */
export type AuditAuthor = Pick<AuditEntry, 'actor' | 'address'>

/** One action that was done, tried or refused. No part holds a secret or a card number. */
export interface AuditEntry {
  /**
   * The actor: `api:<user name>`, `portal:<e-mail>`, `console:<e-mail>`,
   * `operator:<system user>@<host>` or
   * `operator:<name>/<system user>@<host>`, `gateway:<host>:<process>`.
   */
  readonly actor: string
  readonly operation: AuditOperation
  /**
   * To what, as kind and id: `data key 3`, `payment method 7001`; empty for nothing in particular.
   */
  readonly object?: string
  readonly merchantId?: bigint
  /** The address of the request; empty for an action of this machine. */
  readonly address?: string
  readonly result: 'done' | 'refused' | 'failed'
  /** Further facts; values before and after a change. */
  readonly details?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>
}

export interface AuditLog {
  /** Durable when it resolves: what must be on record before it happens waits for this. */
  append(entry: AuditEntry): Promise<void>
}
