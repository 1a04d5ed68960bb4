public import Commerce
import Foundation
import Settings

/// The app-store sales of a publication, as configured.
public struct PurchaseSettings: Sendable, Equatable {
    /// The stores in which the publication sells, by their names in the configuration.
    public let stores: [StoreName]
    /// A Boolean value that indicates whether unpaid purchases of test accounts count. Default: false.
    public let allowsSandbox: Bool
    public let products: ProductRules
    public let claims: ClaimRule
    public let limits: ReceiptLimits
    public let times: ReverificationSchedule

    /// Reads the purchase settings; returns nil if the publication names no store.
    init?(_ section: SettingsSection, stores known: [StoreConfiguration]) throws(SettingsError) {
        var stores: [StoreName] = []
        for name in try section.strings("stores") ?? [] {
            guard let store = known.first(where: { $0.name.rawValue == name }) else {
                throw section.error(
                    "stores",
                    expected: "expected names of `stores`: \(known.map(\.name.rawValue).joined(separator: ", "))")
            }
            stores.append(store.name)
        }
        self.stores = stores
        allowsSandbox = try section.boolean("sandbox", default: false)
        let purchases = try section.section("purchases")
        claims = ClaimRule(maxPersons: try purchases.integer("max_claims", default: 10, in: 1...1000))
        limits = try ReceiptLimits(purchases)
        times = try ReverificationSchedule(purchases)
        try purchases.finish()
        products = try ProductRules(try section.section("products"))
        guard stores.isEmpty else { return }
        for key in ["sandbox", "purchases", "products"] where section.has(key) {
            throw section.error(key, expected: "needs `stores`, the stores the publication sells in")
        }
        return nil
    }
}

extension ReceiptLimits {
    fileprivate init(_ section: SettingsSection) throws(SettingsError) {
        let standard = ReceiptLimits()
        self.init(
            perOwner: try section.integer("unverified_per_owner", default: standard.perOwner, in: 1...100_000),
            perHour: try section.integer("unverified_per_hour", default: standard.perHour, in: 1...10_000_000),
            pending: try section.integer("max_pending", default: standard.pending, in: 1...10_000_000))
    }
}

extension ReverificationSchedule {
    fileprivate init(_ section: SettingsSection) throws(SettingsError) {
        let standard = ReverificationSchedule()
        self.init(
            minRetryDelay: try section.duration("min_retry_delay", default: standard.minRetryDelay, in: 1...86_400),
            maxRetryDelay: try section.duration("max_retry_delay", default: standard.maxRetryDelay, in: 1...604_800),
            maxPendingTime: try section.duration(
                "max_pending_time", default: standard.maxPendingTime, in: 3600...31_536_000),
            reverifyEnded: try section.duration(
                "reverify_ended_every", default: standard.reverifyEnded, in: 60...604_800),
            reverifyRunning: try section.duration(
                "reverify_running_every", default: standard.reverifyRunning, in: 600...2_592_000),
            reverificationWindow: try section.duration(
                "reverify_window", default: standard.reverificationWindow, in: 0...31_536_000),
            refundWindow: try section.duration("refund_window", default: standard.refundWindow, in: 0...31_536_000),
            reverifyTimeout: try section.duration("reverify_timeout", default: standard.reverifyTimeout, in: 0...60))
    }
}

extension ProductRules {
    fileprivate init(_ section: SettingsSection) throws(SettingsError) {
        var subscriptions: [SubscriptionProduct] = []
        for item in try section.sections("subscriptions") {
            let product = try item.requiredString("product", expected: "a product's name in the store")
            guard !product.dropLast().contains("*"), product != "*" else {
                throw item.error("product", expected: "expected a name, or a prefix followed by one *")
            }
            subscriptions.append(
                SubscriptionProduct(
                    pattern: product, term: try Self.term(item), title: try item.string("title")))
            try item.finish()
        }
        let zone = try section.string("time_zone", default: "UTC")
        guard let timeZone = TimeZone(identifier: zone) else {
            throw section.error("time_zone", expected: "expected a name such as America/Los_Angeles, not `\(zone)`")
        }
        let unit: Rounding = try section.choice("rounding", default: .exact)
        let scope: Scope = try section.choice("unlocks", default: .published)
        try section.finish()
        let rounding: PeriodRounding =
            switch unit {
            case .exact: .exact
            case .day: .days(timeZone)
            case .month: .months(timeZone)
            }
        self.init(subscriptions: subscriptions, rounding: rounding, scope: scope)
    }

    private enum Rounding: String, CaseIterable {
        case exact, day, month
    }

    private static func term(_ item: SettingsSection) throws(SettingsError) -> SubscriptionProduct.Term {
        guard item.has("lasts") else { return .asReported }
        if try item.string("lasts") == "forever" { return .forever }
        return .seconds(try item.duration("lasts", default: 0, in: 60...3_153_600_000))
    }
}
