package import Protections

/// A signal that wakes the delivery worker when a delivery is waiting.
package typealias DeliverySignal = AsyncSignal
