import Accounts
import Commerce
import Gatefold

/// The items of a publication, by the numbers in its settings and its products' names. All other items have numbers
/// from the account store.
struct ItemCatalogue: Sendable {
    let catalogue: Catalogue
    private let rules: ProductRules
    private let explicit: [SaleItem: InPlayerNumber]
    /// The items by number. Several entries of one number are prices of one item.
    private let byNumber: [Int64: [SaleItem]]
    /// The subscription products whose full names are known, in the order of the settings.
    let subscriptions: [SaleItem]

    init(_ settings: InPlayerSettings, catalogue: Catalogue, rules: ProductRules) {
        self.catalogue = catalogue
        self.rules = rules
        var explicit: [SaleItem: InPlayerNumber] = [:]
        for number in settings.numbers {
            switch number.numberedItem {
            case .edition(let edition): explicit[.edition(edition)] = number
            case .product(let product):
                if let sold = Self.sold(product, catalogue, rules) { explicit[sold] = number }
            }
        }
        self.explicit = explicit
        var names = rules.subscriptions.map(\.pattern) + settings.fees.map(\.product)
        names += settings.numbers.compactMap {
            if case .product(let product) = $0.numberedItem { product } else { nil }
        }
        var seen: Set<String> = []
        let subscriptions = names.filter {
            !$0.hasSuffix("*") && rules.subscription($0) != nil && seen.insert($0).inserted
        }.map { SaleItem.subscription($0) }
        self.subscriptions = subscriptions
        var byNumber: [Int64: [SaleItem]] = [:]
        let editions = catalogue.editions.map { SaleItem.edition($0.id) }
        let written = explicit.keys.sorted { $0.name < $1.name }
        for sold in written + editions + subscriptions {
            guard let item = explicit[sold]?.item ?? Self.convention(sold, catalogue)?.item,
                byNumber[item]?.contains(sold) != true
            else { continue }
            byNumber[item, default: []].append(sold)
        }
        self.byNumber = byNumber
    }

    /// Returns the item of a store product, or `nil` if the product opens nothing.
    func sold(as product: String) -> SaleItem? { Self.sold(product, catalogue, rules) }

    /// Returns the item's number, if the settings or the product's name define it.
    func number(of sold: SaleItem) -> Int64? {
        explicit[sold]?.item ?? Self.convention(sold, catalogue)?.item
    }

    /// Returns the price's number, or the number of the item if no other is defined.
    func fee(of sold: SaleItem, item: Int64) -> Int64 {
        if let number = explicit[sold] { return number.fee ?? item }
        return Self.convention(sold, catalogue)?.fee ?? item
    }

    /// Returns the items of a number, or an empty list if neither settings nor names define it.
    func sold(numbered number: Int64) -> [SaleItem] {
        if let all = byNumber[number] {
            // An edition takes precedence, so a subscription that shares its number by mistake opens nothing more.
            return all.first.map { first in all.filter { $0 == first || !first.isEdition && !$0.isEdition } } ?? []
        }
        // A subscription pattern matches, of which only the beginning of the names is known.
        let pattern = rules.subscriptions.first { $0.pattern.hasPrefix("\(number)_") && $0.pattern.hasSuffix("*") }
        return pattern.map { [.subscription($0.pattern)] } ?? []
    }

    /// Returns the name under which stores sell the item.
    func product(of sold: SaleItem) -> String? {
        switch sold {
        case .edition(let edition): catalogue[edition].map(\.storeProductID) ?? edition.rawValue
        case .subscription(let product): product
        }
    }

    func title(of sold: SaleItem) -> String {
        switch sold {
        case .edition(let edition): catalogue[edition]?.title ?? edition.rawValue
        case .subscription(let product): rules.subscription(product)?.title ?? product
        }
    }

    private static func sold(_ product: String, _ catalogue: Catalogue, _ rules: ProductRules) -> SaleItem? {
        if rules.subscription(product) != nil { return .subscription(product) }
        return catalogue.edition(storeProductID: product).map { .edition($0) }
    }

    private static func convention(_ sold: SaleItem, _ catalogue: Catalogue) -> ItemFeeProduct? {
        switch sold {
        case .edition(let edition): (catalogue[edition]?.storeProductID).flatMap { ItemFeeProduct($0) }
        case .subscription(let product): ItemFeeProduct(product)
        }
    }
}

extension SaleItem {
    var isEdition: Bool {
        if case .edition = self { true } else { false }
    }
}
