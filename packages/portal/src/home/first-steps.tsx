import { Code, Group, List, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Copyable } from '../parts/copyable.tsx'
import { Panel } from '../parts/panel.tsx'
import { useMay, useSession } from '../session/session.ts'
import { useSite } from '../session/site.ts'
import classes from './home.module.css'

const CARD = '4111111111111111'
/**
 * As it is shown: a card number never stands on a page, and those to test with are no exception.
 */
const SHOWN_CARD = '411111...1111'
const DEMO_MERCHANT = '1'

/** In the place of figures before the first payment: how to make one. */
export function FirstSteps() {
  const { sandbox, merchant } = useSession()
  const mayDevelop = useMay('developer.see')
  const site = useSite()
  const command = [
    `curl ${window.location.origin}/payment/pmt_service.cfm`,
    // The published user is the demo merchant's alone.
    ...(sandbox && merchant.id === DEMO_MERCHANT
      ? ["  -d REQ_USERNAME=demo@tollgate.test -d 'REQ_PASSWORD=Sandbox-4.14-demo'"]
      : ["  -d 'REQ_USERNAME=<your API user>' -d 'REQ_PASSWORD=<its password>'"]),
    `  -d SITE_ID=${site?.id ?? ''} -d REQUEST_API_VERSION=4.14 -d REQUEST_ACTION=CCAUTHCAP`,
    `  -d PMT_NUMB=${CARD} -d PMT_EXPIRY=122040 -d PMT_KEY=123 -d LI_VALUE_1=10.00`,
  ].join(' \\\n')
  return (
    <Panel title="First steps">
      <Stack gap="sm">
        <Text size="sm">
          No payments yet. This command makes a payment of 10.00 {site?.defaultCurrency ?? ''} with
          a test card:
        </Text>
        <Code block className={classes.command}>
          {command.replace(CARD, SHOWN_CARD)}
        </Code>
        <Group gap="xs">
          <Copyable text={command.replaceAll(' \\\n', '')} label="command" />
        </Group>
        <List size="sm" spacing={4}>
          <List.Item>
            The copied command contains the full test card number. Any expiry in the future and any
            security code work.
          </List.Item>
          <List.Item>
            An amount of 5.02 is declined. Other amounts give other outcomes:{' '}
            {sandbox && mayDevelop ? (
              <Link className="link" to="/developer/test-values">
                all test values
              </Link>
            ) : (
              'docs/test-bank.md'
            )}
            .
          </List.Item>
          <List.Item>Reference of every action: docs/integrators/interface.md.</List.Item>
        </List>
      </Stack>
    </Panel>
  )
}
