import { Alert, Fieldset, Stack } from '@mantine/core'
import type { SiteView, ThreeDsPolicy } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { useMay } from '../session/session.ts'
import { call, type ApiFault } from '../shell/api.ts'
import { useDraft } from './draft.tsx'
import { SaveBar, type Describe } from './save-bar.tsx'
import { siteChanged } from './settings-queries.ts'
import classes from './settings.module.css'
import { CHALLENGES, ThreeDsFields } from './three-ds-fields.tsx'

const DESCRIBE: Describe<ThreeDsPolicy> = {
  required: { label: 'Browser data', text: (on) => (on ? 'required' : 'not required') },
  whenUnavailable: {
    label: 'If authentication is not possible',
    text: (what) => (what === 'decline' ? 'decline' : 'authorize without authentication'),
  },
  paResRequired: {
    label: 'REQUEST_PARES',
    text: (on) => (on ? 'required in the final call' : 'not required'),
  },
  challengePreference: {
    label: 'Challenge preference',
    text: (request) => CHALLENGES.find(({ value }) => value === (request ?? 'none'))?.label ?? '',
  },
  returnHosts: { label: 'Hosts of P3DS_RETURN_URL', text: (hosts) => hosts.join(', ') || 'any' },
}

export function ThreeDsTab({ site }: { readonly site: SiteView }) {
  const mayChange = useMay('sites.change')
  const [fault, setFault] = useState<ApiFault | null>(null)
  const draft = useDraft<ThreeDsPolicy>(site.threeDs)
  const { values, set } = draft
  const takesPart = site.accounts.some(
    ({ mode, threeDsRequestorId }) => mode === site.mode && threeDsRequestorId !== null,
  )
  return (
    <Stack className={classes.panel}>
      {!takesPart && (
        <Alert color="orange" title="No account of this mode is registered for 3-D Secure">
          3-D Secure needs a registration with the directory servers. The operator enters it in the
          merchant account.
        </Alert>
      )}
      <Fieldset
        legend="Payments that ask for 3-D Secure (REQUEST_ENROLLMENT=1)"
        disabled={!mayChange}
      >
        <ThreeDsFields values={values} set={set} fault={fault} onTyped={() => setFault(null)} />
      </Fieldset>
      <SaveBar
        draft={draft}
        describe={DESCRIBE}
        save={async ({ values: policy, seen }) =>
          siteChanged(
            await call(routes.sites.changeThreeDs, {
              path: { siteId: site.id },
              body: { policy, seen },
            }),
          )
        }
        onFault={setFault}
        changeDelaySeconds={site.changeDelaySeconds}
      />
    </Stack>
  )
}
