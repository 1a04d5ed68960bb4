import Commerce
import Foundation
import InPlayer
import TestSupport
import Testing

/// Checks items, fees, receipts and notifications against the program: InPlayer protocol, “Purchase sequence”, from 402
/// to 200.
@Suite("Purchase at our own front door", .serialized) struct PurchaseSuite {
    @Test("shows items for sale to every client, and free content to every signed-in reader")
    func items() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let guest = try newsstand.device()
            let item = try await guest.assets.item(InPlayerSuiteHarness.item(2))
            #expect(item.title == "Month 2" && item.id == 4102 && item.content?.isEmpty != false)
            #expect(item.isActive == true && item.merchantUUID == InPlayerSuiteHarness.merchant)
            #expect(
                try await guest.assets.externalItem(type: "edition", id: InPlayerSuiteHarness.month(2)).id == item.id)
            let fees = try await guest.assets.accessFees(of: InPlayerSuiteHarness.item(2))
            #expect(fees.map(\.id) == [InPlayerSuiteHarness.fee] && fees.first?.currency == "EUR")
            #expect(fees.first?.amount == Decimal(string: "2.49"))
            let monthly = try await guest.assets.accessFees(of: InPlayerSuiteHarness.subscription)
            #expect(monthly.first?.accessType?.name == "subscription" && monthly.first?.accessType?.period == "month")
            #expect(await fault { _ = try await guest.assets.item(999) }?.status == 404)
            let reader = try await newsstand.registered()
            #expect(
                try await reader.assets.access(to: InPlayerSuiteHarness.item(1)).item?.content?.contains("2026-01")
                    == true)
            let rejected = await fault { _ = try await reader.assets.access(to: InPlayerSuiteHarness.item(2)) }
            #expect(rejected?.isWithoutAccess == true)
            #expect(try await reader.session != nil, "missing access does not end the session")
        }
    }

    @Test("leads from no access to access by a store receipt, and is reported by a notification")
    func buys() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let reader = try await newsstand.registered()
            let steps = Locked<[PurchaseProgress]>([])
            let access = try await reader.purchase(
                item: InPlayerSuiteHarness.item(2), accessFee: InPlayerSuiteHarness.fee,
                awaiting: .notified(try newsstand.notifications),
                progress: { step in steps.withLock { $0.append(step) } }
            ) { try await newsstand.receipt(InPlayerSuiteHarness.month(2), "3001") }
            #expect(access.item?.id == 4102)
            let content = try #require(access.item?.content)
            #expect(content.contains(InPlayerSuiteHarness.month(2)))
            #expect(steps.withLock(\.self) == [.checkingAccess, .buying, .submitting, .awaitingAccess, .granted])
            let history = try await reader.assets.accessHistory(.active)
            #expect(history.items.map(\.itemID).contains(4102) && history.unreadable == 0)
            #expect(try await reader.assets.accessHistory(.active, page: 1, size: 100).items.isEmpty)
            #expect(try await reader.subscriptions.list().items.isEmpty)
            try await reader.payments.validate(
                try await newsstand.receipt(InPlayerSuiteHarness.monthly, "2001", duration: 86_400),
                for: .named(InPlayerSuiteHarness.monthly))
            let subscription = try #require(try await reader.subscriptions.list().items.first)
            #expect(subscription.itemID == InPlayerSuiteHarness.subscription && subscription.status == "active")
            // The subscription can only be cancelled where it was bought.
            #expect(!subscription.canBeCancelled)
            await #expect(throws: InPlayerError.self) { try await reader.subscriptions.cancel(subscription) }
            #expect(
                try await reader.assets.access(to: InPlayerSuiteHarness.subscription).item?.id
                    == InPlayerSuiteHarness.subscription)
        }
    }

    @Test("fails with a forged receipt, and where nothing is for sale")
    func rejected() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let reader = try await newsstand.registered()
            let product = StoreProduct.fee(item: InPlayerSuiteHarness.item(2), accessFee: InPlayerSuiteHarness.fee)
            for receipt in [
                StoreReceipt.apple("MIIB"), .googlePlay("token"), .amazon("receipt", userID: "user"), .roku("r"),
            ] {
                #expect(await fault { try await reader.payments.validate(receipt, for: product) }?.status == 422)
            }
            let other = try await newsstand.receipt(InPlayerSuiteHarness.month(3), "3101")
            let fault = await fault { try await reader.payments.validate(other, for: product) }
            #expect(fault?.status == 422 && fault?.explain == "The receipt is for another product.")
            for item in [2, 3] {
                #expect(try await reader.assets.accessIfAny(to: InPlayerSuiteHarness.item(item)) == nil)
            }
            #expect(try await reader.assets.accessHistory(.all).items.isEmpty)
        }
    }

    @Test("is reported to every device of the account, and so is the end of a session")
    func notifications() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let phone = try await newsstand.registered()
            let tablet = try await newsstand.signedIn()
            let heard = Locked<[String]>([])
            let settings = try newsstand.notifications
            let listening = Task {
                for try await notification in phone.notifications(settings) {
                    heard.withLock { $0.append(notification.type) }
                    if case .accountErased = notification.event { return }
                }
            }
            // Notifications from before the subscription are lost, so further receipts follow until one arrives.
            var transaction = 3000
            let wanted: Set = ["external.payment.success", "access.granted", "external.payment.failed"]
            while heard.withLock({ !wanted.isSubset(of: $0) }) {
                transaction += 1
                try await tablet.payments.validate(
                    try await newsstand.receipt(InPlayerSuiteHarness.month(2), String(transaction)),
                    for: .fee(item: InPlayerSuiteHarness.item(2), accessFee: InPlayerSuiteHarness.fee))
                // An invalid receipt is rejected in the response and by a notification.
                await #expect(throws: InPlayerError.self) {
                    try await tablet.payments.validate(
                        .apple("not base64!"),
                        for: .fee(item: InPlayerSuiteHarness.item(2), accessFee: InPlayerSuiteHarness.fee))
                }
                try await Task.sleep(for: .milliseconds(200))
            }
            try await tablet.accounts.erase(password: InPlayerSuiteHarness.ada.password)
            try await listening.value
            #expect(heard.withLock { $0.last } == "account.erased")
        }
    }
}
