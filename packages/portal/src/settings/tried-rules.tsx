import { Alert, Stack, Text } from '@mantine/core'
import type { TriedRules } from '@tollgate/portal-contract/answers/settings'
import { countText } from '../parts/count-text.ts'
import { StillBusy } from '../parts/still-busy.tsx'
import classes from './settings.module.css'

interface TriedProps {
  readonly result: TriedRules | undefined
  readonly isBusy: boolean
}

/** The result of velocity rules on past payments, or that they are still being tested. */
export function Tried({ result, isBusy }: TriedProps) {
  if (isBusy) return <StillBusy text="Testing the rules on past payments." />
  if (result === undefined) return null
  const { payments, screened, refused, refusedApproved, days, isCut, byRule } = result
  return (
    <Alert
      color={refusedApproved > 0 ? 'orange' : 'green'}
      role="status"
      title={`The last ${days} days`}
    >
      <Stack gap={4}>
        <Text size="sm">
          {payments === 0
            ? 'There were no payments.'
            : `Of ${countText(payments)} payments, the rules apply to ${countText(screened)} ` +
              `and would have declined ${countText(refused)}. The bank approved ` +
              `${countText(refusedApproved)} of those: these are probably genuine customers.`}
        </Text>
        {refused > 0 && (
          <ul className={classes.steps}>
            {byRule
              .filter((rule) => rule.refused > 0)
              .map((rule) => (
                <li key={rule.rule}>
                  {rule.rule}: {countText(rule.refused)} declined, of them{' '}
                  {countText(rule.refusedApproved)} approved by the bank
                </li>
              ))}
          </ul>
        )}
        {isCut && <Text size="sm">Only the first 100,000 payments were tested.</Text>}
      </Stack>
    </Alert>
  )
}
