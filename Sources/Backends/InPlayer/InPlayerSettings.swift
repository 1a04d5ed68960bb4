import Foundation
import InPlayer
import Settings

/// The settings of the queries to InPlayer's service and of the items that they concern.
struct InPlayerSettings: Sendable {
    /// The method that determines the access of an account.
    enum Access: String, CaseIterable, Sendable {
        /// One query for each item.
        case items
        /// The account's purchase list, with 100 entries per query.
        case history
    }

    private enum Environment: String, CaseIterable {
        case production, staging
    }

    let merchant: InPlayerMerchant
    let environment: InPlayerEnvironment
    /// The credentials' field with the password.
    let passwordField: String
    let items: EditionItems
    /// The items that make a subscription active. If there are none, access to any item does.
    let subscriptionItems: [Int]
    let access: Access
    /// The maximum number of concurrent item queries for one reader. Default: 4. Range: 1 to 64.
    let maxConcurrent: Int
    /// The time in seconds for which the access to an item is cached. Default: 30 s. Range: 0 s to 1 h.
    let itemCache: TimeInterval
    /// The maximum number of stored sessions. Default: 10,000. Range: 100 to 1,000,000.
    let sessions: Int

    init(_ section: SettingsSection) throws(SettingsError) {
        let uuid = try section.requiredString("merchant", expected: "the merchant's UUID")
        guard UUID(uuidString: uuid) != nil else {
            throw section.error("merchant", expected: "expected the merchant's UUID")
        }
        let client = try section.has("client_id") ? section.requiredString("client_id") : nil
        merchant = InPlayerMerchant(uuid: uuid, clientID: client)
        environment = try Self.environment(section)
        passwordField = try section.has("password_field") ? section.requiredString("password_field") : "password"
        items = try EditionItems(try section.section("items"))
        subscriptionItems = try Self.subscriptionItems(section)
        guard !items.isEmpty || !subscriptionItems.isEmpty else {
            throw section.error(
                "items", expected: "missing; expected editions with their items, or else `subscription_items`")
        }
        access = try section.choice("access", default: .items)
        maxConcurrent = try section.integer("max_concurrent", default: 4, in: 1...64)
        itemCache = try section.duration("item_cache_ttl", default: 30, in: 0...3600)
        sessions = try section.integer("max_sessions", default: 10_000, in: 100...1_000_000)
    }

    private static func environment(_ section: SettingsSection) throws(SettingsError) -> InPlayerEnvironment {
        guard let url = try section.string("url") else {
            switch try section.choice("environment", default: Environment.production) {
            case .production: return .production
            case .staging: return .staging
            }
        }
        guard !section.has("environment") else {
            throw section.error("environment", expected: "expected `environment` or `url`, not both")
        }
        guard let environment = InPlayerEnvironment(services: url), ServiceTransport.isUsable(environment.services)
        else {
            throw section.error("url", expected: "expected an http or https URL such as https://gate.example.com/daily")
        }
        return environment
    }

    private static func subscriptionItems(_ section: SettingsSection) throws(SettingsError) -> [Int] {
        var items: [Int] = []
        for text in try section.strings("subscription_items") ?? [] {
            guard let item = EditionItems.item(text), !items.contains(item) else {
                throw section.error("subscription_items", expected: "expected \(EditionItems.form), each once")
            }
            items.append(item)
        }
        return items
    }
}
