import Foundation
import InPlayer
import TestSupport
import Testing

/// Items, prices, receipts and notifications: the flow of PROTOCOLS 5.5 from 402 to 200, against the program.
@Suite("A purchase at our own front door", .serialized) struct PurchaseSuite {
    @Test("shows what is sold to anybody, and what opens without a purchase to whoever is signed in")
    func items() async throws {
        try await Newsstand.served { stand in
            let guest = try stand.device()
            let item = try await guest.assets.item(Newsstand.item(2))
            #expect(item.title == "Month 2" && item.id == 4102 && item.content?.isEmpty != false)
            #expect(item.isActive == true && item.merchantUUID == Newsstand.merchant)
            #expect(try await guest.assets.externalItem(type: "edition", id: Newsstand.month(2)).id == item.id)
            let fees = try await guest.assets.accessFees(of: Newsstand.item(2))
            #expect(fees.map(\.id) == [Newsstand.fee] && fees.first?.currency == "EUR")
            #expect(fees.first?.amount == Decimal(string: "2.49"))
            let monthly = try await guest.assets.accessFees(of: Newsstand.subscription)
            #expect(monthly.first?.accessType?.name == "subscription" && monthly.first?.accessType?.period == "month")
            #expect(await fault { _ = try await guest.assets.item(999) }?.status == 404)
            let reader = try await stand.registered()
            #expect(try await reader.assets.access(to: Newsstand.item(1)).item?.content?.contains("2026-01") == true)
            let refused = await fault { _ = try await reader.assets.access(to: Newsstand.item(2)) }
            #expect(refused?.isWithoutAccess == true)
            #expect(try await reader.session != nil, "no access ends no session")
        }
    }

    @Test("leads from no access to access, by the receipt of a store, told of by a notification")
    func buys() async throws {
        try await Newsstand.served { stand in
            let reader = try await stand.registered()
            let steps = Kept<[PurchaseProgress]>([])
            let access = try await reader.purchase(
                item: Newsstand.item(2), accessFee: Newsstand.fee, awaiting: .notified(try stand.notifications),
                progress: { step in steps.withLock { $0.append(step) } }
            ) { try await stand.receipt(Newsstand.month(2), "3001") }
            #expect(access.item?.id == 4102)
            let content = try #require(access.item?.content)
            #expect(content.contains(Newsstand.month(2)))
            #expect(steps.withLock(\.self) == [.checkingAccess, .buying, .submitting, .awaitingAccess, .granted])
            let history = try await reader.assets.accessHistory(.active)
            #expect(history.items.map(\.itemID).contains(4102) && history.unreadable == 0)
            #expect(try await reader.assets.accessHistory(.active, page: 1, size: 100).items.isEmpty)
            #expect(try await reader.subscriptions.list().items.isEmpty)
            try await reader.payments.validate(
                try await stand.receipt(Newsstand.monthly, "2001", lasting: 86_400), for: .named(Newsstand.monthly))
            let subscription = try #require(try await reader.subscriptions.list().items.first)
            #expect(subscription.itemID == Newsstand.subscription && subscription.status == "active")
            // It is ended where it was bought.
            #expect(!subscription.canBeCancelled)
            await #expect(throws: InPlayerError.self) { try await reader.subscriptions.cancel(subscription) }
            #expect(try await reader.assets.access(to: Newsstand.subscription).item?.id == Newsstand.subscription)
        }
    }

    @Test("is refused by a receipt that proves nothing, and where nothing is sold")
    func refused() async throws {
        try await Newsstand.served { stand in
            let reader = try await stand.registered()
            let product = StoreProduct.fee(item: Newsstand.item(2), accessFee: Newsstand.fee)
            for receipt in [
                StoreReceipt.apple("MIIB"), .googlePlay("token"), .amazon("receipt", userID: "user"), .roku("r"),
            ] {
                #expect(await fault { try await reader.payments.validate(receipt, for: product) }?.status == 422)
            }
            let other = try await stand.receipt(Newsstand.month(3), "3101")
            let fault = await fault { try await reader.payments.validate(other, for: product) }
            #expect(fault?.status == 422 && fault?.explain == "The receipt is for something else.")
            for item in [2, 3] { #expect(try await reader.assets.accessIfAny(to: Newsstand.item(item)) == nil) }
            #expect(try await reader.assets.accessHistory(.all).items.isEmpty)
        }
    }

    @Test("is told to every device of the account, as it happens, and so is a session's end")
    func notifications() async throws {
        try await Newsstand.served { stand in
            let phone = try await stand.registered()
            let tablet = try await stand.signedIn()
            let heard = Kept<[String]>([])
            let settings = try stand.notifications
            let listening = Task {
                for try await notification in phone.notifications(settings) {
                    heard.withLock { $0.append(notification.type) }
                    if case .accountErased = notification.event { return }
                }
            }
            // What is told before anybody listens is not told again: receipts of others follow until one is heard.
            var transaction = 3000
            let wanted: Set = ["external.payment.success", "access.granted", "external.payment.failed"]
            while heard.withLock({ !wanted.isSubset(of: $0) }) {
                transaction += 1
                try await tablet.payments.validate(
                    try await stand.receipt(Newsstand.month(2), String(transaction)),
                    for: .fee(item: Newsstand.item(2), accessFee: Newsstand.fee))
                // One that is no receipt is refused at once, and by a notification besides.
                await #expect(throws: InPlayerError.self) {
                    try await tablet.payments.validate(
                        .apple("not base64!"), for: .fee(item: Newsstand.item(2), accessFee: Newsstand.fee))
                }
                try await Task.sleep(for: .milliseconds(200))
            }
            try await tablet.accounts.erase(password: Newsstand.ada.password)
            try await listening.value
            #expect(heard.withLock { $0.last } == "account.erased")
        }
    }
}
