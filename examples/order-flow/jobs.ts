import { appendFileSync } from 'node:fs'
import { defineJobs, job } from 'reeve'

export interface Order {
  readonly orderId: string
  /** Where each effect leaves a line: it stands for the bank, the warehouse and the mail. */
  readonly ledger: string
}

export default defineJobs({
  order: job({
    async run({ orderId, ledger }: Order, { step, job: { id } }) {
      const effect = (what: string) => appendFileSync(ledger, `${what} order ${orderId}\n`)
      const payment = await step.run('charge', ({ attempt }) => {
        effect('charged')
        return { reference: `${id}/charge`, attempt } // the same in every run: a bank can tell a repetition by it
      })
      const approval = await step.waitForEvent<{ by: string }>('approval', { event: 'approved', match: orderId, timeout: '3d' })
      if (approval === null) {
        await step.run('refund', () => effect('refunded'))
        return { shipped: false, payment }
      }
      await step.sleep('cool-off', '1s')
      await Promise.all([step.run('ship', () => effect('shipped')), step.run('mail', () => effect('mailed'))])
      return { shipped: true, approvedBy: approval.by, payment }
    },
  }),
})
