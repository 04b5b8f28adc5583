// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Core Foundation's types under the names of those that they are bridged to: there is no bridging on Linux.
public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFDictionary = NSDictionary
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300

public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecAttrService: CFString = "svce"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrAccessGroup: CFString = "agrp"
public let kSecAttrAccessible: CFString = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecValueData: CFString = "v_Data"
public let kSecReturnData: CFString = "r_Data"
public let kSecMatchLimit: CFString = "m_Limit"
public let kSecMatchLimitOne: CFString = "m_LimitOne"

@discardableResult public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{ 0 }
@discardableResult public func SecItemUpdate(_ query: CFDictionary, _ changes: CFDictionary) -> OSStatus { 0 }
@discardableResult public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
@discardableResult public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{ 0 }
