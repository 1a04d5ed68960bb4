@testable import Conformance

extension ServerDefect {
    static let readers: [ServerDefect] = [
        ServerDefect("state-sign-in", "a reader is not recognised") { request, response in
            if request.isSignIn, request["username"] == "activenone" {
                response = FakePublisherServer().document(
                    "<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
            }
        },
        ServerDefect("state-lapsed-sign-in", "a lapsed reader is sent away") { request, response in
            if request.isSignIn, request["username"] == "lapsednone" {
                response = FakePublisherServer().document(
                    "<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
            }
        },
        ServerDefect("state-known", "a word of the server's own") { request, response in
            if request.isVerification, request.user == "lapsednone" {
                response.text = response.text.replacing("inactive", with: "lapsed")
            }
        },
        ServerDefect("state-expected", "a lapsed reader is active") { request, response in
            if request.isVerification, request.user == "lapsednone" {
                response.text = response.text.replacing("inactive", with: "active")
            }
        },
        ServerDefect("state-expected", "a strange token is not understood") { request, response in
            if request.isVerification, request.user == "longjson" {
                response.text = response.text.replacing("active", with: "inactive")
            }
        },
        ServerDefect("issues-nothing", "nothing becomes everything") { request, response in
            if request.isVerification, request.user == "activenone" {
                response.text = response.text.replacing("<issues/>", with: "")
            }
        },
        ServerDefect("issues-everything", "everything becomes nothing") { request, response in
            if request.isVerification, ["activeall", "peter"].contains(request.user) {
                response.text = response.text.replacing("</sub", with: "<issues/></sub")
            }
        },
        ServerDefect("issues-listed", "an edition is missing") { request, response in
            if request.isVerification, request.user == "activesome" {
                response.text = response.text.replacing("<issue>com.pugpig.edition0003</issue>", with: "")
            }
        },
        ServerDefect("issues-listed", "an edition too many") { request, response in
            if request.isVerification, request.user == "activesome" {
                response.text = response.text.replacing(
                    "</issues>", with: "<issue>com.pugpig.edition0002</issue></issues>")
            }
        },
        ServerDefect("issues-listed", "an edition twice") { request, response in
            if request.isVerification, request.user == "activesome" {
                response.text = response.text.replacing(
                    "</issues>", with: "<issue>com.pugpig.edition0003</issue></issues>")
            }
        },
        ServerDefect("issues-inactive", "a lapsed reader has given everything back") { request, response in
            if request.isVerification, request.user == "lapsedsome" {
                response = FakePublisherServer().document("<subscription state=\"inactive\"><issues/></subscription>")
            }
        },
        ServerDefect("failure-direction", "a failure is an inactive reader") { request, response in
            if request.isVerification, request.user == "200-500-500" {
                response = FakePublisherServer().document("<subscription state=\"inactive\"><issues/></subscription>")
            }
        },
        ServerDefect("failure-direction", "a failure is a refused sign-in") { request, response in
            if request.isSignIn, response.status == 503 {
                response = FakePublisherServer().document("<error status=\"notrecognised\" message=\"Later\"/>")
            }
        },
        ServerDefect("failure-direction", "a failure is a refused renewal") { request, response in
            if request.isRenewal, request.user == "200-500-500" {
                response = FakePublisherServer().document("<error status=\"notrecognised\" message=\"Later\"/>")
            }
        },
        ServerDefect("failure-direction", "a failure is a token that nobody recognises") { request, response in
            if request.isCredentials, response.status == 503 {
                response = FakePublisherServer().document(
                    "<credentials><error status=\"notrecognised\" message=\"Later\"/></credentials>")
            }
        },
        ServerDefect("failure-retry", "nobody knows when") { _, response in response.set("Retry-After", nil) },
    ]
}
