package import Foundation

/// A value of a column or of a statement's parameter.
package enum StateValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes(Data)
}

/// A type whose values can be passed to a statement.
package protocol StateValueConvertible: Sendable {
    var stateValue: StateValue { get }
}

/// The parameters of a statement, in the order of its placeholders.
package typealias StateArguments = [any StateValueConvertible]

extension StateValue: StateValueConvertible {
    package var stateValue: StateValue { self }
}

extension Int64: StateValueConvertible {
    package var stateValue: StateValue { .integer(self) }
}

extension Int: StateValueConvertible {
    package var stateValue: StateValue { .integer(Int64(self)) }
}

/// A truth value is stored as 1 or 0.
extension Bool: StateValueConvertible {
    package var stateValue: StateValue { .integer(self ? 1 : 0) }
}

extension Double: StateValueConvertible {
    package var stateValue: StateValue { .real(self) }
}

extension String: StateValueConvertible {
    package var stateValue: StateValue { .text(self) }
}

extension Data: StateValueConvertible {
    package var stateValue: StateValue { .bytes(self) }
}

extension Optional: StateValueConvertible where Wrapped: StateValueConvertible {
    package var stateValue: StateValue { map(\.stateValue) ?? .null }
}
