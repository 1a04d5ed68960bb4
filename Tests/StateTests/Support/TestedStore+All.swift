import Accounts
import Commerce
import Gatefold
import State
import TestSupport

@testable import Mail

extension TestedStore<any AccountStore> {
    static var all: [TestedStore] { [.volatile { _ in InMemoryAccountStore() }] + durable { $0 } }
}

extension TestedStore<any DeviceStore & RevocationStore> {
    static var all: [TestedStore] { [.volatile { InMemoryStateStore(clock: $0) }] + durable { $0 } }
}

extension TestedStore<any ItemNumberStore> {
    static var all: [TestedStore] { [.volatile { _ in InMemoryAccountStore() }] + durable { $0 } }
}

extension TestedStore<any KnownDeviceStore> {
    static var all: [TestedStore] { [.volatile { InMemoryStateStore(clock: $0) }] + durable { $0 } }
}

extension TestedStore<any MailOutbox> {
    static var all: [TestedStore] { [.volatile { _ in InMemoryMailOutbox() }] + durable { $0 } }
}

extension TestedStore<any PurchaseLedger> {
    static var all: [TestedStore] { durable { $0 } }
}

extension TestedStore<any PurchaseLedger & DeliveryOutbox> {
    static var all: [TestedStore] { durable { $0 } }
}

extension TestedStore<any PurchaseLedger & DeliveryOutbox & StateRetention> {
    static var all: [TestedStore] { durable { $0 } }
}

extension TestedStore<any PurchaseLedger & RevocationStore> {
    static var all: [TestedStore] { durable { $0 } }
}

extension TestedStore<any PurchaseLedger & StateRetention> {
    static var all: [TestedStore] { durable { $0 } }
}

extension TestedStore<any PushCampaignStore> {
    static var all: [TestedStore] { durable { $0 } }
}

extension TestedStore<any PushTokenStore> {
    static var all: [TestedStore] { durable { $0 } }
}

extension TestedStore<any RevocationStore> {
    static var all: [TestedStore] { [.volatile { InMemoryStateStore(clock: $0) }] + durable { $0 } }
}

extension TestedStore<any RevocationStore & StateRetention> {
    static var all: [TestedStore] { [.volatile { InMemoryStateStore(clock: $0) }] + durable { $0 } }
}

extension TestedStore<any StateDiagnostics> {
    static var all: [TestedStore] { durable { $0 } }
}
