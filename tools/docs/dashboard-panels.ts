import {
  highest,
  line,
  maximum,
  ON,
  type PanelPlan,
  quantile,
  rate,
  stat,
  sum,
  total,
} from './dashboard-plan.ts'

const OUTCOMES = 'tollgate_bank_outcomes_total'
const AUTHORIZATIONS = ',message="authorization"'
const APPROVED = ',message="authorization",outcome="approved"'
const FREE = 'tollgate_data_folder_free_bytes'

/** The rows of the dashboard, from top to bottom. */
export const ROWS: readonly { readonly title: string; readonly panels: readonly PanelPlan[] }[] = [
  {
    title: 'At a glance',
    panels: [
      stat(
        'Alerts that fire',
        'short',
        'Of all rules.',
        'count(ALERTS{alertstate="firing",job="$job"}) or vector(0)',
        1,
      ),
      stat(
        'Requests a second',
        'reqps',
        'At the payment address.',
        total('tollgate_requests_total'),
      ),
      stat(
        'Approved',
        'percentunit',
        'Share of authorizations that banks approve.',
        `${total(OUTCOMES, APPROVED)} / ${total(OUTCOMES, AUTHORIZATIONS)}`,
      ),
      stat(
        'Oldest advice',
        's',
        'Capture, refund or reversal that a bank has not acknowledged.',
        maximum('tollgate_advices_oldest_seconds'),
        60,
      ),
      stat(
        'Waiting for the database',
        'short',
        'Statements without a connection.',
        `sum(tollgate_database_waiting{${ON}})`,
        1,
      ),
      stat(
        'Free disk',
        'percentunit',
        'Of the disk with DATA_DIR, the least of all nodes.',
        `min(${FREE}{${ON}} / tollgate_data_folder_size_bytes{${ON}})`,
      ),
    ],
  },
  {
    title: 'Payments',
    panels: [
      line('Requests by outcome', 'reqps', 'State of the transaction, at the payment address.', [
        rate('tollgate_requests_total', 'state'),
        '{{state}}',
      ]),
      line(
        'Time of requests',
        's',
        'From a complete request to its answer.',
        [quantile(0.5, 'tollgate_request_seconds', 'action'), '{{action}} 50 %'],
        [quantile(0.99, 'tollgate_request_seconds', 'action'), '{{action}} 99 %'],
      ),
      line(
        'Answers other than 200',
        'reqps',
        '503: the database is away or the node is full.',
        [rate('tollgate_requests_total', 'http_status', ',http_status!="200"'), '{{http_status}}'],
        [total('tollgate_requests_refused_total'), 'no room'],
      ),
      line('Requests in work', 'short', 'Working, or waiting for a place.', [
        sum('tollgate_requests_in_work', 'state'),
        '{{state}}',
      ]),
      line(
        'Velocity rules',
        'reqps',
        'Payments that the rules against card testing refused or watched.',
        [rate('tollgate_card_testing_hits_total', 'site, outcome'), 'site {{site}} {{outcome}}'],
      ),
      line('3-D Secure', 'reqps', 'Authentications by outcome.', [
        rate('tollgate_three_ds_authentications_total', 'mode, outcome'),
        '{{mode}} {{outcome}}',
      ]),
    ],
  },
  {
    title: 'Banks',
    panels: [
      line('Links up', 'short', 'Workers whose link is up.', [
        sum('tollgate_bank_links_up', 'link'),
        '{{link}}',
      ]),
      line('Answers by code', 'reqps', 'Response codes of authorizations.', [
        rate('tollgate_bank_answers_total', 'link, code'),
        '{{link}} {{code}}',
      ]),
      line('Time of banks', 's', 'From a message to its answer or timeout, 99 %.', [
        quantile(0.99, 'tollgate_bank_seconds', 'link, message'),
        '{{link}} {{message}}',
      ]),
      line(
        'Unknown outcomes',
        'reqps',
        'Each payment is reversed.',
        [
          rate('tollgate_bank_outcomes_total', 'link, message', ',outcome="unknown"'),
          '{{link}} {{message}}',
        ],
        [total('tollgate_bank_late_answers_total'), 'late answers'],
      ),
      line(
        'Messages on links',
        'short',
        'Sent, and waiting for a place.',
        [sum('tollgate_bank_link_in_flight', 'link'), '{{link}} in flight'],
        [sum('tollgate_bank_link_waiting', 'link'), '{{link}} waiting'],
      ),
      line(
        'Queued advices',
        'short',
        'Not acknowledged by a bank.',
        [highest('tollgate_advices_queued', 'kind'), '{{kind}}'],
        [maximum('tollgate_transactions_running'), 'running transactions'],
      ),
    ],
  },
  {
    title: 'Database',
    panels: [
      line('Connections in use', 'short', 'By pool.', [
        sum('tollgate_database_connections', 'pool', ',state="used"'),
        '{{pool}}',
      ]),
      line('Waiting for a connection', 'short', 'By pool.', [
        sum('tollgate_database_waiting', 'pool'),
        '{{pool}}',
      ]),
      line('Lag of standbys', 's', 'From a commit to its replay.', [
        highest('tollgate_database_standby_lag_seconds', 'standby'),
        '{{standby}}',
      ]),
      line('Lag of backups', 's', 'Age of the newest moment in the store.', [
        highest('tollgate_backup_lag_seconds', 'instance'),
        '{{instance}}',
      ]),
    ],
  },
  {
    title: 'Sign-ins and portal',
    panels: [
      line(
        'Failed sign-ins',
        'ops',
        'By kind of user.',
        [rate('tollgate_sign_ins_failed_total', 'kind'), '{{kind}}'],
        [rate('tollgate_sign_ins_locked_total', 'kind'), '{{kind}} locked'],
      ),
      line('Requests of pages', 'reqps', 'Portal and console, by result.', [
        rate('tollgate_portal_requests_total', 'place, result'),
        '{{place}} {{result}}',
      ]),
      line('Time of pages', 's', 'To the end of the answer, 99 %.', [
        quantile(0.99, 'tollgate_portal_request_seconds', 'place'),
        '{{place}}',
      ]),
    ],
  },
  {
    title: 'Background work',
    panels: [
      line(
        'Late work',
        's',
        'Age of the oldest piece of work that is due.',
        [maximum('tollgate_renewals_overdue_seconds'), 'renewals'],
        [maximum('tollgate_event_outbox_oldest_seconds'), 'events'],
        [maximum('tollgate_webhook_overdue_seconds'), 'webhooks'],
        [maximum('tollgate_mail_overdue_seconds'), 'mails'],
        [maximum('tollgate_audit_push_lag_seconds'), 'audit log'],
      ),
      line('Failures of jobs', 'ops', 'Each job runs again.', [
        rate('tollgate_job_failures_total', 'exported_job'),
        '{{exported_job}}',
      ]),
      line(
        'Webhooks and mails',
        'ops',
        'Attempts by outcome.',
        [rate('tollgate_webhook_attempts_total', 'outcome'), 'webhook {{outcome}}'],
        [rate('tollgate_mail_attempts_total', 'outcome'), 'mail {{outcome}}'],
      ),
      line('Renewals', 'ops', 'Charges of memberships by outcome.', [
        rate('tollgate_renewals_total', 'outcome'),
        '{{outcome}}',
      ]),
    ],
  },
  {
    title: 'Nodes',
    panels: [
      line('Memory', 'bytes', 'Resident memory of each process.', [
        sum('tollgate_process_memory_bytes', 'instance, process'),
        '{{instance}} {{process}}',
      ]),
      line('CPU of workers', 'short', 'Cores in use, all workers of a node.', [
        rate('tollgate_process_cpu_seconds_total', 'instance'),
        '{{instance}}',
      ]),
      line('Delay of the event loop', 's', 'Highest of all workers, 99 %.', [
        highest('tollgate_nodejs_eventloop_lag_p99_seconds', 'instance'),
        '{{instance}}',
      ]),
      line('Client connections', 'short', 'Open, at all servers of a node.', [
        sum('tollgate_connections_open', 'instance'),
        '{{instance}}',
      ]),
      line('Free disk', 'bytes', 'Of the disk with DATA_DIR.', [
        sum('tollgate_data_folder_free_bytes', 'instance'),
        '{{instance}}',
      ]),
      line('Versions', 'short', 'Nodes of each version.', [
        `count by (version) (tollgate_build_info{${ON}})`,
        '{{version}}',
      ]),
    ],
  },
]
