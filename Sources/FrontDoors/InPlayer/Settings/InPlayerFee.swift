public import Gatefold

/// The price of products as apps show it. The stores charge the prices that are set there, regardless of this
/// value.
public struct InPlayerFee: Sendable, Equatable {
    /// A term: a number of units of time.
    public struct Term: Sendable, Equatable {
        /// The unit of time, such as `month`.
        public var period: String
        public var quantity: Int

        public init(period: String, quantity: Int = 1) {
            self.period = period
            self.quantity = quantity
        }
    }

    /// An amount of money: digits, optionally followed by a point and more digits.
    public struct Amount: Sendable, Equatable, CustomStringConvertible {
        public let description: String

        static let zero = Amount(0)

        /// The whole units of the currency, rounded half up, because the fields that SDKs read as an `Int` accept
        /// no fraction.
        var roundedUnits: Int64 {
            let parts = description.split(separator: ".")
            let integer = Int64(parts[0]) ?? 0
            return parts.count > 1 && parts[1] >= "5" ? integer + 1 : integer
        }

        private init(_ integer: Int64) {
            description = String(integer)
        }

        /// Returns `nil` if the text is not an amount.
        public init?(_ text: String) {
            guard text.wholeMatch(of: /(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,4})?/) != nil else { return nil }
            description = text
        }
    }

    /// A product's name in the stores, or a prefix of names with a `*` at its end.
    public var product: String
    /// The amount, in whole units of the currency.
    public var amount: Amount
    /// The currency by ISO 4217.
    public var currency: String
    public var text: String
    /// The term of a subscription, or `nil` for a single purchase.
    public var term: Term?
    /// The free trial at the start.
    public var trial: Term?
    /// The amount that is paid once, at the start of a subscription.
    public var setupFee: Amount?

    public init(
        product: String, amount: Amount, currency: String, text: String = "", term: Term? = nil, trial: Term? = nil,
        setupFee: Amount? = nil
    ) {
        self.product = product
        self.amount = amount
        self.currency = currency
        self.text = text
        self.term = term
        self.trial = trial
        self.setupFee = setupFee
    }

    /// Returns an amount for display, such as `4.99 EUR`.
    func formatted(_ amount: Amount) -> String { "\(amount) \(currency)" }

    func matches(_ product: String) -> Bool {
        self.product.hasSuffix("*")
            ? product.utf8.starts(with: self.product.utf8.dropLast()) : product == self.product
    }
}

/// The numbers of an item for sale in apps, if the product's name in the stores does not contain them.
public struct InPlayerNumber: Sendable, Equatable {
    public enum NumberedItem: Sendable, Hashable {
        case edition(EditionID)
        /// A product, by its name in the stores.
        case product(String)
    }

    public var numberedItem: NumberedItem
    public var item: Int64
    /// The price's number, or `nil` for the item's number.
    public var fee: Int64?

    public init(_ numberedItem: NumberedItem, item: Int64, fee: Int64? = nil) {
        self.numberedItem = numberedItem
        self.item = item
        self.fee = fee
    }

    /// The maximum number, because apps read some numbers as 32 bits.
    public static let highest: Int64 = Int64(Int32.max)
}

/// The numbers in a product's name in the stores, `ITEM_FEE`. Further parts are ignored.
///
/// Source: InPlayer protocol, “Product identifiers on iOS”.
struct ItemFeeProduct: Hashable {
    let item: Int64
    let fee: Int64

    init(item: Int64, fee: Int64) {
        self.item = item
        self.fee = fee
    }

    init?(_ product: String) {
        let parts = product.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count >= 2, let item = Self.number(parts[0]), let fee = Self.number(parts[1]) else { return nil }
        self.init(item: item, fee: fee)
    }

    /// Parses a whole number above zero, as apps write it.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.first != 0x30, let number = Int64(text), number <= InPlayerNumber.highest
        else { return nil }
        return number
    }
}
