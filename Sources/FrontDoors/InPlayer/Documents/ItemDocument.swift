import Gatefold
import JSON

/// An item as SDKs read it. Its `metadata` is a list, unlike that of an account.
///
/// Source: InPlayer protocol, “Item document”.
enum ItemDocument {
    /// - Parameters:
    ///   - content: The content for a reader with access, empty for others.
    ///   - isPriced: Whether to include prices. `false` inside a price, which does not repeat itself.
    static func value(
        _ item: InPlayerItem, _ settings: InPlayerSettings, site: DownloadSite?, content: String = "",
        isPriced: Bool = true
    ) -> JSONValue {
        let facts = facts(item, site)
        return [
            "id": .integer(item.number), "merchant_id": .integer(settings.merchantNumber),
            "merchant_uuid": .string(settings.merchant), "is_active": .boolean(item.isActive),
            "active": .boolean(item.isActive), "title": .string(item.title),
            "access_control_type": ["id": 2, "name": "Paid", "auth": true],
            "item_type": itemType(item.kind), "age_restriction": .null,
            "metadata": .array(
                facts.enumerated().map { index, fact in
                    ["id": .integer(index + 1), "name": .string(fact.name), "value": .string(fact.value)]
                }), "metahash": .object(facts.map { .init(name: $0.name, value: .string($0.value)) }),
            "content": .string(content), "template_id": .null,
            "access_fees": .array(
                isPriced ? AccessFeeDocument.values(item, settings, site: site, nested: true) : []),
            "plan_switch_enabled": false,
            "created_at": .seconds(item.created), "updated_at": .seconds(item.updated),
        ]
    }

    private static func itemType(_ kind: InPlayerItem.Kind) -> JSONValue {
        let (number, description): (Int64, String) =
            switch kind {
            case .edition: (1, "A single edition")
            case .subscription: (2, "A subscription")
            }
        return [
            "id": .integer(number), "name": .string(kind.name), "content_type": .string(kind.name), "host": "gatefold",
            "description": .string(description),
        ]
    }

    private static func facts(_ item: InPlayerItem, _ site: DownloadSite?) -> [(name: String, value: String)] {
        guard let edition = item.edition else { return [] }
        let details = edition.details
        let all: [(name: String, value: String?)] = [
            ("edition", edition.id.rawValue), ("summary", details.summary), ("author", details.author),
            ("cover", details.cover.map { site?.absolute($0) ?? $0 }),
            ("sample", details.sample.map { site?.absolute($0) ?? $0 }),
            ("categories", details.categories.isEmpty ? nil : details.categories.joined(separator: ", ")),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}
