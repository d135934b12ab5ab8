import type { MailTexts } from './texts.ts'

export const mailTexts: MailTexts = {
  hello: 'Hello {userName},',
  copyLink: 'If the button does not work, copy this address into your browser:',
  holds: 'The link works once and expires after three hours.',
  foot: 'Sent by {platform} on {time} UTC. Replies to this address are not read.',
  kinds: {
    Verify: {
      subject: 'Activate your account',
      text: ['An account was registered on {platform} with the address {email}. Confirm the address to activate it.'],
      button: 'Activate account',
      otherwise: 'If this was not you, ignore this email. Without the link the account stays inactive.',
    },
    Reset: {
      subject: 'Set a new password',
      text: ['A new password was requested for your account on {platform}. Use the link to set it.'],
      button: 'Set a new password',
      otherwise: 'If this was not you, ignore this email. Your password does not change.',
    },
    ChangeEmail: {
      subject: 'Confirm your new address',
      text: ['A change of the email address of your account on {platform} to {email} was requested. Sign in and confirm it.'],
      button: 'Confirm address',
      otherwise: 'If this was not you, ignore this email. The account keeps its old address.',
    },
    EmailChanging: {
      subject: 'Email change requested',
      text: [
        'A change of the email address of your account on {platform} was requested from a signed-in session. The new address is not confirmed yet.',
        'If this was you, no action is needed.',
      ],
      button: 'Cancel the change',
      otherwise:
        'If this was not you, open this link. The account email stays {email} or changes back to it, and all sessions end. Then set a new password.',
    },
    Test: {
      subject: 'Test email',
      text: ['This is the test email that you requested. {platform} can send emails.'],
    },
  },
}
