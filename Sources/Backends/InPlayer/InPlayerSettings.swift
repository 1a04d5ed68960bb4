import Foundation
import InPlayer
import Settings

/// What is asked of InPlayer's service, and about which items.
struct InPlayerSettings: Sendable {
    /// How it is found out what an account has access to.
    enum Access: String, CaseIterable, Sendable {
        /// A question for each item.
        case items
        /// The account's list of what it bought, a hundred entries a question.
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
    /// Access to any of these is an active subscription; where there are none, access to any item is.
    let subscriptionItems: [Int]
    let access: Access
    /// So many items are asked about at a time, for one reader.
    let atOnce: Int
    /// What was told of an item holds so long, in seconds.
    let itemCache: TimeInterval
    /// So many readers' sessions are kept at hand.
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
        atOnce = try section.integer("at_once", default: 4, in: 1...64)
        itemCache = try section.duration("item_cache", default: 30, in: 0...3600)
        sessions = try section.integer("sessions", default: 10_000, in: 100...1_000_000)
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
        guard let environment = InPlayerEnvironment(services: url), ServiceTransport.canAsk(environment.services) else {
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
