import NIOCore

/// A control packet of MQTT 3.1.1 (OASIS standard, chapter 3), limited to the packets of a client with delivery at
/// most once or at least once.
package enum MQTTPacket: Sendable, Hashable {
    case connect(MQTTConnect)
    case connectAcknowledged(isPresent: Bool, code: UInt8)
    case publish(MQTTMessage)
    case publishAcknowledged(UInt16)
    case subscribe(UInt16, filter: String, quality: UInt8)
    /// The acknowledgement of a subscription, with one code per filter. The code 0x80 is a rejection.
    case subscribeAcknowledged(UInt16, codes: [UInt8])
    case ping
    case pong
    case disconnect
}

/// The connection request of a client (section 3.1). It has no will, and its session ends with the connection.
package struct MQTTConnect: Sendable, Hashable {
    package var clientID: String
    /// The keep-alive interval in seconds. 0 disables it.
    package var keepAlive: UInt16
    package var userName: String?
    package var password: String?

    package init(clientID: String, keepAlive: UInt16, userName: String? = nil, password: String? = nil) {
        self.clientID = clientID
        self.keepAlive = keepAlive
        self.userName = userName
        self.password = password
    }
}

/// An application message (section 3.3).
package struct MQTTMessage: Sendable, Hashable {
    package var topic: String
    package var payload: [UInt8]
    /// The quality of service: 0 for at most once, 1 for at least once.
    package var quality: UInt8
    /// The packet identifier. Present only with a quality above 0.
    package var identifier: UInt16?
    package var isRepeated: Bool
    package var isRetained: Bool

    package init(
        topic: String, payload: [UInt8], quality: UInt8 = 0, identifier: UInt16? = nil, isRepeated: Bool = false,
        isRetained: Bool = false
    ) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.identifier = identifier
        self.isRepeated = isRepeated
        self.isRetained = isRetained
    }
}

/// An error that indicates malformed bytes, or a packet that must not be sent.
package struct MQTTMalformed: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
