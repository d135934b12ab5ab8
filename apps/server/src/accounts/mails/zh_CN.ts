import type { MailTexts } from './texts.ts'

export const mailTexts: MailTexts = {
  hello: '{userName}，您好：',
  copyLink: '如果点击按钮没有反应，请将下面的地址复制到浏览器中打开：',
  holds: '链接 3 小时内有效，且只能使用一次。',
  foot: '由 {platform} 于 {time} UTC 自动发送，请勿回复。',
  kinds: {
    Verify: {
      subject: '激活您的账号',
      text: ['有人用邮箱 {email} 在 {platform} 注册了账号。请确认该邮箱以激活账号。'],
      button: '激活账号',
      otherwise: '如果不是您本人操作，请忽略本邮件；不打开链接，账号不会被激活。',
    },
    Reset: {
      subject: '重置密码',
      text: ['我们收到了重置您在 {platform} 账号密码的请求。请打开下面的链接设置新密码。'],
      button: '设置新密码',
      otherwise: '如果不是您本人操作，请忽略本邮件，您的密码不会改变。',
    },
    ChangeEmail: {
      subject: '确认新的邮箱地址',
      text: ['您在 {platform} 的账号将改用邮箱 {email}。请登录后确认。'],
      button: '确认邮箱',
      otherwise: '如果不是您本人操作，请忽略本邮件，账号仍使用原来的邮箱。',
    },
    EmailChanging: {
      subject: '您的邮箱地址即将变更',
      text: [
        '有人登录了您在 {platform} 的账号，并申请更换邮箱地址。新邮箱确认后才会生效。',
        '如果是您本人操作，无需理会本邮件。',
      ],
      button: '取消更换',
      otherwise: '如果不是您本人操作，请打开此链接：账号将保留或恢复邮箱 {email}，所有设备都会退出登录。之后请设置新密码。',
    },
    Test: {
      subject: '测试邮件',
      text: ['您收到这封测试邮件，说明 {platform} 可以正常发送邮件。'],
    },
  },
}
