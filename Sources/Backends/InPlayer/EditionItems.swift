import Gatefold
import Settings

/// The mapping of editions to the merchant's items.
struct EditionItems: Sendable {
    static let form = "the numbers of items, from 1 to 2147483647"

    private var editions: [EditionID: Int] = [:]
    /// The prefixes, longest first.
    private var prefixes: [(text: String, item: Int)] = []

    /// Reads editions, and edition prefixes before a `*`, with an item each.
    init(_ section: SettingsSection) throws(SettingsError) {
        for name in section.names where section.has(name) {
            guard let item = try Self.item(section.requiredString(name, expected: "the number of an item")) else {
                throw section.error(name, expected: "expected the number of an item, from 1 to 2147483647")
            }
            if name.hasSuffix("*") {
                let prefix = String(name.dropLast())
                guard EditionID(prefix + "x") != nil else { throw Self.unusable(name, section) }
                prefixes.append((prefix, item))
            } else {
                guard let edition = EditionID(name) else { throw Self.unusable(name, section) }
                editions[edition] = item
            }
        }
        prefixes.sort { $0.text.utf8.count > $1.text.utf8.count }
    }

    private static func unusable(_ name: String, _ section: SettingsSection) -> SettingsError {
        section.error(name, expected: "expected an edition, or a prefix and `*`")
    }

    static func item(_ text: String) -> Int? {
        Int(text).flatMap { (1...2_147_483_647).contains($0) ? $0 : nil }
    }

    var isEmpty: Bool { editions.isEmpty && prefixes.isEmpty }

    /// All items without duplicates.
    var all: [Int] { Set(editions.values).union(prefixes.map(\.item)).sorted() }

    /// Returns a subscription to items. It contains the editions whose name or prefix has one of the items. If
    /// every edition has an item and every item is accessible, it contains everything.
    ///
    /// - Parameter isActive: A Boolean value that indicates whether the subscription is active. Only an active
    ///   subscription can contain everything.
    func subscription(_ accessible: Set<Int>, isActive: Bool) -> Subscription {
        var subscription = Subscription(state: isActive ? .active : .inactive)
        if isActive, prefixes.last?.text.isEmpty == true, accessible.isSuperset(of: all) {
            subscription.entitlement = .allEditions
            return subscription
        }
        subscription.entitlement = .editions(Set(editions.filter { accessible.contains($0.value) }.keys))
        let held = Set(prefixes.filter { accessible.contains($0.item) }.map(\.text))
        if !held.isEmpty {
            subscription.editionPrefixes = [
                EditionPrefixes(
                    held: held, withheld: Set(prefixes.map(\.text)).subtracting(held),
                    except: Set(editions.keys.filter { id in held.contains { id.rawValue.hasPrefix($0) } }))
            ]
        }
        return subscription
    }
}
